#if Sandbox
extension Fault {
    /// Parses a fault of the control interface: its name in `fault`, and its parameters beside it.
    ///
    /// - Throws: ``Refusal`` with the invalid field.
    init(_ fields: Fields) throws(Refusal) {
        let name = try fields.string("fault")
        if let simple = Self.simple[name] {
            self = simple
            return
        }
        switch name {
        case "status":
            let seconds = try fields.optionalNumber("retryAfterSeconds", within: 0...1e9)
            self = .status(try Self.status(fields), retryAfter: seconds.map { .seconds($0) })
        case "gateway":
            self = .gateway(try Self.status(fields), retryAfter: try Self.retryAfter(fields))
        case "redirect":
            let address = try fields.string("to")
            // The value of a header, which a line break would end.
            guard !address.isEmpty, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw fields.wrong("to", "an address")
            }
            self = .redirect(to: address)
        case "gzipBomb":
            self = .gzipBomb(bytes: try fields.integer("bytes", within: 0...GzipBomb.largest))
        case "wrongType": self = .altered(.wrongType(try fields.string("field")))
        case "missingField": self = .altered(.missing(try fields.string("field")))
        case "nullField": self = .altered(.null(try fields.string("field")))
        case "emptyField": self = .altered(.empty(try fields.string("field")))
        case "encoded":
            guard let coding = try fields.optionalChoice("coding", of: ContentCoding.self) else {
                throw fields.wrong("coding", "one of \(ContentCoding.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self = .encoded(coding)
        case "stall": self = .stall(afterBytes: try fields.integer("afterBytes", within: 0...Int(Int32.max)))
        case "unknownValue": self = .altered(.unknownValue(try fields.string("field")))
        case "cut":
            guard let ending = Ending(rawValue: try fields.optionalString("ending") ?? "close") else {
                throw fields.wrong("ending", "close or reset")
            }
            self = .cut(afterBytes: try fields.integer("afterBytes", within: 0...Int(Int32.max)), ending)
        case "wrongContentLength":
            self = .wrongContentLength(by: try fields.integer("by", within: -1_000_000...1_000_000))
        case "delay":
            self = .delay(.seconds(try fields.number("seconds", within: 0...86_400)))
        case "logNormalDelay":
            self = .logNormalDelay(
                median: .seconds(try fields.number("medianSeconds", within: 0...600)),
                sigma: try fields.number("sigma", within: 0...5)
            )
        case "dribble":
            let pause = try fields.optionalNumber("pauseSeconds", within: 0...60) ?? 0
            self = .dribble(pause: .seconds(pause))
        case "slowClose":
            self = .slowClose(.seconds(try fields.number("seconds", within: 0...86_400)))
        default:
            throw fields.wrong(
                "fault",
                "one of \((Array(Self.simple.keys) + Self.others).sorted().joined(separator: ", "))"
            )
        }
    }

    /// The faults without parameters.
    private static let simple: [String: Fault] = [
        "html": .html, "garbage": .garbage, "redirectLoop": .redirectLoop, "truncated": .truncated,
        "malformedChunk": .malformedChunk, "reset": .reset, "emptyReply": .emptyReply, "commitThenCut": .commitThenCut,
        "hold": .hold, "chunked": .chunked, "conflictingLengths": .conflictingLengths,
        "unknownField": .altered(.extraField),
    ]

    private static let others = [
        "status", "gateway", "redirect", "gzipBomb", "wrongType", "missingField", "nullField", "emptyField",
        "unknownValue", "cut",
        "encoded", "stall",
        "wrongContentLength", "delay", "logNormalDelay", "dribble", "slowClose",
    ]

    private static func status(_ fields: Fields) throws(Refusal) -> Int {
        try fields.integer("status", within: 200...599)
    }

    private static func retryAfter(_ fields: Fields) throws(Refusal) -> RetryAfter? {
        if let seconds = try fields.optionalNumber("retryAfterSeconds", within: 0...1e9) {
            return .seconds(Int(seconds))
        }
        if let seconds = try fields.optionalNumber("retryDateAfterSeconds", within: -1e9...1e9) {
            return .date(after: .seconds(seconds))
        }
        guard let text = try fields.optionalString("retryAfterText") else { return nil }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw fields.wrong("retryAfterText", "printable text")
        }
        return .text(text)
    }
}

extension Fields {
    func wrong(_ name: String, _ expected: String) -> Refusal {
        Refusal(.validation, "expected \(expected)", field: path.isEmpty ? name : "\(path).\(name)")
    }

    func integer(_ name: String, within range: ClosedRange<Int>, default standard: Int? = nil) throws(Refusal) -> Int {
        if value[name] == nil, let standard { return standard }
        guard case .integer(let number)? = value[name], let number = Int(exactly: number), range.contains(number) else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func optionalNumber(_ name: String, within range: ClosedRange<Double>) throws(Refusal) -> Double? {
        let number: Double
        switch value[name] {
        case nil, .null?: return nil
        case .integer(let whole)?: number = Double(whole)
        case .number(let any)?: number = any
        default: throw wrong(name, "a number")
        }
        guard range.contains(number) else {
            throw wrong(name, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(_ name: String, within range: ClosedRange<Double>) throws(Refusal) -> Double {
        guard let number = try optionalNumber(name, within: range) else { throw wrong(name, "a number") }
        return number
    }

    /// Returns nil if the field is missing; throws if its value is not allowed.
    func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Choice.Type
    ) throws(Refusal) -> Choice? {
        guard let text = try optionalString(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw wrong(name, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// Rejects unknown members: a misspelt one would be silently ignored.
    func allow(_ names: Set<String>) throws(Refusal) {
        guard case .object(let members) = value else { return }
        if let unknown = members.keys.sorted().first(where: { !names.contains($0) }) {
            throw wrong(unknown, "no such field")
        }
    }
}
#endif
