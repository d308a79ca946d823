import Cofferdam

/// The ids by which an operation reads one entity, described for the rule VALUE-05.
///
/// ```swift
/// DistinctIDs(
///     call: book,
///     seed: { try await $0.vendor.add(books).map(\.id) },
///     text: \.rawValue,
///     make: { BookID($0) },
///     id: \.id,
///     arrivals: { try await $0.vendor.calls(of: "book") }
/// )
/// ```
public struct DistinctIDs<Subject: Sendable, ID: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, ID, Entity>
    let seed: @Sendable (Subject) async throws -> [ID]
    let text: @Sendable (ID) -> String
    let make: @Sendable (String) -> ID?
    let id: @Sendable (Entity) -> ID
    let arrivals: @Sendable (Subject) async throws -> Int

    /// Describes the ids of an operation.
    ///
    /// - Parameters:
    ///   - seed: empties the vendor and adds some entities; returns their ids.
    ///   - make: makes an id of a text; nil if the port's type refuses that text. An id that the type makes the same as
    ///     the one that resembles it, as one that folds the case, is not tried.
    ///   - arrivals: returns how many calls of the operation have arrived at the vendor.
    public init(
        call: PortCall<Subject, ID, Entity>,
        seed: @escaping @Sendable (Subject) async throws -> [ID],
        text: @escaping @Sendable (ID) -> String,
        make: @escaping @Sendable (String) -> ID?,
        id: @escaping @Sendable (Entity) -> ID,
        arrivals: @escaping @Sendable (Subject) async throws -> Int
    ) {
        self.call = call
        self.seed = seed
        self.text = text
        self.make = make
        self.id = id
        self.arrivals = arrivals
    }

    /// VALUE-05.
    public var rules: [Rule<Subject>] {
        [
            Rule(
                "VALUE-05",
                "An id that only resembles a known one is not taken for it, and an empty one reaches no vendor"
            ) { subject, _ in
                var findings = Findings()
                let known = try await seed(subject)
                findings.expect(!known.isEmpty, "the vendor knows no id")
                for original in known {
                    findings.expectEqual(id(try await call(subject, original)), original, call.name)
                    for similar in Self.similar(to: text(original)).compactMap(make)
                    where !known.contains(where: { isExactly($0, similar) }) {
                        do {
                            let shown = id(try await call(subject, similar))
                            findings.expect(
                                isExactly(shown, similar),
                                "\(readable(text(similar))): got the one of \(readable(text(shown)))"
                            )
                        } catch { try Task.checkCancellation() }
                    }
                }
                guard let empty = make("") else { return findings.violations }
                let before = try await arrivals(subject)
                do {
                    findings.add("an empty id: got the one of \(readable(text(id(try await call(subject, empty)))))")
                } catch { try Task.checkCancellation() }
                findings.expectEqual(try await arrivals(subject), before, "calls that arrived, after an empty id")
                return findings.violations
            }.of(call.name)
        ]
    }

    /// The mutants that break VALUE-05.
    public var mutants: [Mutant<Subject>] {
        let resembles = Mutant<Subject>("VALUE-05", "takes what it does not know for what resembles it") {
            subject,
            effect in
            let last = Mutex<ID?>(nil)
            return call.replaced(in: subject) { clean, input in
                do {
                    let entity = try await clean(input)
                    last.withLock { $0 = input }
                    return entity
                } catch {
                    guard let known = last.withLock(\.self), !text(input).isEmpty else { throw error }
                    effect.occurred()
                    return try await clean(known)
                }
            }
        }
        let asks = Mutant<Subject>("VALUE-05", "asks the vendor for an empty id") { subject, effect in
            let last = Mutex<ID?>(nil)
            return call.replaced(in: subject) { clean, input in
                if text(input).isEmpty, let known = last.withLock(\.self) {
                    effect.occurred()
                    _ = try await clean(known)
                }
                let entity = try await clean(input)
                last.withLock { $0 = input }
                return entity
            }
        }
        return [resembles, asks].map { $0.of(call.name) }
    }

    private static func similar(to text: String) -> [String] {
        [
            "0" + text, "+" + text, " " + text, text + " ", text + "\n", text + "\t", text.uppercased(),
            text.lowercased(), text + "\u{301}", text + "\u{200B}", text + "\0", text + "/", text + "/.", text + "?",
            text + "#", text + ";", text + ".0", text + "e0", "%" + text, text + "%20", "../" + text,
            "\"" + text + "\"",
            String(String.UnicodeScalarView(text.unicodeScalars.map(\.fullWidth))),
        ]
    }
}

extension Unicode.Scalar {
    /// The compatible letter of full width; itself if there is none.
    fileprivate var fullWidth: Unicode.Scalar {
        (0x21...0x7E).contains(value) ? Unicode.Scalar(value + 0xFEE0) ?? self : self
    }
}
