#if Sandbox
import CofferdamContracts
import Foundation
import MenagerieService
import SanctuaryContracts
import SanctuaryDomain

extension ServiceProbe {
    // MARK: Setup

    func makeOdd(_ record: SanctuaryRecord, _ oddity: PayloadOddity) async throws {
        switch record {
        case .animal(let id): control.corrupt(animal: try legacyID(id), corruption(oddity, enumeration: "kind"))
        case .order(let id): control.corrupt(.order(id.rawValue), corruption(oddity, enumeration: "status"))
        case .message(let id): control.corrupt(.message(id.rawValue), corruption(oddity, enumeration: "type"))
        case .accessory(let id): control.corrupt(.accessory(id.rawValue), corruption(oddity, enumeration: "state"))
        }
    }

    /// - Parameter enumeration: the field whose values are a closed set.
    private func corruption(_ oddity: PayloadOddity, enumeration: String) -> Corruption {
        switch oddity {
        case .extraField: .extraField
        case .missing(let field): .missing(field)
        case .null(let field): .null(field)
        case .empty(let field): .empty(field)
        case .unknownValue(let raw): .text(raw, in: enumeration)
        }
    }

    func addOrder(
        _ lines: [OrderLine],
        of user: String,
        status: OrderStatus,
        placedAt: Instant?
    ) async throws -> SanctuaryDomain.Order {
        let sandboxLines = lines.map { line in
            SandboxControl.Line(
                article: line.article,
                quantity: line.quantity,
                minorUnits: line.unitPrice.minorUnits,
                currency: line.unitPrice.currency.code
            )
        }
        var name = status.description
        if status == .partiallyRefunded { name = "partiallyRefunded" }
        if case .unknown = status { name = "pending" }
        let added = try control.addOrder(
            sandboxLines,
            of: user,
            status: name,
            placedAt: placedAt?.millisecondsSince1970
        )
        if case .unknown(let raw) = status { try await makeOdd(.order(OrderID(added.id)), .unknownValue(raw)) }
        return SanctuaryDomain.Order(
            id: OrderID(added.id),
            status: major.status(status),
            lines: lines,
            placedAt: Instant(millisecondsSince1970: added.milliseconds)
        )
    }

    func seedMessages(_ count: Int) async throws -> [SanctuaryDomain.Message] {
        var messages: [SanctuaryDomain.Message] = []
        for index in 0..<max(0, count) {
            messages.append(try await postMessage(author: "kenji", text: "message \(index)"))
        }
        return messages
    }

    // MARK: Faults

    func setPagingQuirk(
        _ quirk: CofferdamContracts.PagingQuirk?,
        on operation: SanctuaryOperation
    ) async throws {
        let sandboxQuirk: MenagerieService.PagingQuirk? =
            switch quirk {
            case .emptyPageWithCursor: .emptyPageWithCursor
            case .emptyStringCursor: .emptyStringCursor
            case .repeatedCursor: .repeatedCursor
            case nil: nil
            }
        control.setPagingQuirk(sandboxQuirk, on: operation.sandboxOperation)
    }

    // MARK: Evidence

    func linesHeld(of order: OrderID) async throws -> [OrderLine] {
        try control.lines(ofOrder: order.rawValue).map { line in
            guard let currency = Currency(line.currency) else {
                throw SanctuaryError(.decoding, "not a currency", subject: line.currency)
            }
            let price = Money(minorUnits: line.minorUnits, currency: currency)
            return OrderLine(article: line.article, quantity: line.quantity, unitPrice: price)
        }
    }

    func textHeld(of message: MessageID) async throws -> String { try control.text(ofMessage: message.rawValue) }

    /// Asked of the service itself, through an instance of its own: V2 lists by arrival.
    func contentsHeld(of operation: SanctuaryOperation, by user: String) async throws -> [String] {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let services = try await openV2(
            at: stand.service.url,
            directory: directory.path,
            issues: issues.sink,
            wallClockAhead: stand.clockAhead
        )
        do {
            _ = try await services.accounts.signIn(Credentials(user: user, password: "sandbox"))
            let contents =
                switch operation {
                case .place:
                    try await services.orders.orders(PageRequest(limit: 100)).items
                        .map { $0.lines.map(\.article).joined() }
                default:
                    try await services.messages.messages(PageRequest(limit: 100)).items
                        .filter { $0.author == user }.map(\.text)
                }
            await services.close()
            return contents
        } catch {
            await services.close()
            throw error
        }
    }

    func nicknameHeld(of accessory: AccessoryID) async throws -> String {
        try control.nickname(of: accessory.rawValue)
    }

    func files() async throws -> Set<String> { Set(try FileManager.default.subpathsOfDirectory(atPath: directory)) }

    func requestedGroups() async throws -> [String] {
        control.requests(of: .listAnimals).compactMap { request in
            var components = URLComponents()
            components.percentEncodedQuery = request.query
            let name = request.path.hasPrefix("/v1/") ? "kind" : "filter[kind]"
            return components.queryItems?.first { $0.name == name }?.value
        }
    }

    func photoTraffic() async throws -> (validators: Int, bytes: Int) {
        let asked = control.requests(of: .photo)
        return (asked.count { $0.header("If-None-Match") != nil }, control.pictureBytesSent)
    }

    func strayFields(of operation: SanctuaryOperation) async throws -> [String] {
        var stray: Set<String> = []
        for request in control.requests(of: operation.sandboxOperation) {
            let documented = Self.documented[operation]?[request.path.hasPrefix("/v1/") ? "v1" : "v2"] ?? []
            let body = try JSONSerialization.jsonObject(with: Data(request.body))
            stray.formUnion(Self.paths(in: body, at: "").subtracting(documented))
        }
        return stray.sorted()
    }

    /// The refresh tokens that adapters have used.
    var shownRefreshTokens: [String] {
        control.requests(of: .refresh).compactMap { request in
            struct Refresh: Decodable { let refreshToken: String }
            // A body that is not a refresh request contains no refresh token.
            return (try? JSONDecoder().decode(Refresh.self, from: Data(request.body)))?.refreshToken
        }
    }

    /// The fields in the vendor's description of each API.
    private static let documented: [SanctuaryOperation: [String: Set<String>]] = [
        .place: [
            "v1": ["lines", "lines.article", "lines.quantity", "lines.unit_price"],
            "v2": [
                "lines", "lines.article", "lines.quantity", "lines.unitPrice", "lines.unitPrice.amount",
                "lines.unitPrice.currency",
            ],
        ],
        .send: ["v1": ["id", "text", "sent_at"], "v2": ["text", "localId"]],
    ]

    private static func paths(in value: Any, at path: String) -> Set<String> {
        switch value {
        case let elements as [Any]: elements.reduce(into: []) { $0.formUnion(paths(in: $1, at: path)) }
        case let members as [String: Any]:
            members.reduce(into: []) { found, member in
                let path = path.isEmpty ? member.key : "\(path).\(member.key)"
                found.formUnion(paths(in: member.value, at: path).union([path]))
            }
        default: []
        }
    }
}
#endif
