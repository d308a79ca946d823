import Cofferdam
import CofferdamContracts
import SanctuaryDomain

/// A model of one user's orders: placing them, placing them again with the same key, and reading them.
struct OrdersModel: StatefulModel {
    enum Command: Sendable, Hashable {
        case place(article: Int, quantity: Int)
        /// Places a draft again with the same key; its number is taken modulo the number of drafts.
        case repeated(Int)
        case placeNothing
        case get(Int)
        case list
        case placeWhileRefused(article: Int)
        case listWhileUnavailable
    }

    final class Session: Sendable {
        struct Placed: Sendable {
            let draft: OrderDraft
            let id: OrderID
        }

        let subject: SanctuarySubject
        let placed = Mutex<[Placed]>([])
        /// Makes keys unique across programs, because the vendor remembers them for longer.
        private let unique: Int
        private let lastKey = Mutex(0)

        init(_ subject: SanctuarySubject) {
            self.subject = subject
            unique = subject.numbers.next()
        }

        func draft(article: Int, quantity: Int) -> OrderDraft {
            let price = Money(minorUnits: 450, currency: .eur)
            let line = OrderLine(article: "article \(article)", quantity: quantity, unitPrice: price)
            let number = lastKey.withLock { last in
                last += 1
                return last
            }
            return OrderDraft(lines: [line], key: "\(unique)-\(number)")
        }
    }

    let name = "orders"
    let initial: [String] = []
    let observing = [Command.list]
    /// Whether to generate only commands that may overlap.
    var isConcurrent = false

    func command(in state: [String], using random: inout SeededGenerator) -> Command {
        let number = Int.random(in: 0..<4, using: &random)
        let lot = Int.random(in: 0..<10, using: &random)
        if isConcurrent { return lot < 6 ? .place(article: number, quantity: 1) : .list }
        switch lot {
        case 0..<4: return .place(article: number, quantity: 1 + number)
        case 4..<6: return .repeated(number)
        case 6: return .get(number)
        case 7: return .placeNothing
        case 8: return .placeWhileRefused(article: number)
        default: return .listWhileUnavailable
        }
    }

    func simpler(than command: Command) -> [Command] {
        switch command {
        case .place(let article, let quantity) where article > 0 || quantity > 1: [.place(article: 0, quantity: 1)]
        case .repeated(let number) where number > 0: [.repeated(0)]
        case .get(let number) where number > 0: [.get(0), .list]
        case .placeWhileRefused: [.placeNothing]
        case .listWhileUnavailable: [.list]
        default: []
        }
    }

    func answer(to command: Command, in state: inout [String]) -> ModelAnswer {
        switch command {
        case .place(let article, let quantity):
            state.append("\(quantity) of article \(article)")
            return .texts([state[state.count - 1]])
        case .repeated(let number), .get(let number): return state.at(number).map { .texts([$0]) } ?? .nothing
        case .placeNothing, .placeWhileRefused: return .failed(.invalidRequest)
        case .list: return .texts(state)
        case .listWhileUnavailable: return .failed(.unavailable)
        }
    }

    func begin(_ subject: SanctuarySubject, _ context: RuleContext) async throws -> Session {
        try await subject.probe.reset(.empty)
        try await subject.signIn()
        return Session(subject)
    }

    func perform(_ command: Command, in session: Session) async throws -> ModelAnswer {
        let orders = session.subject.services.orders
        let placed = session.placed.withLock { $0 }
        return try await ModelAnswer {
            switch command {
            case .place(let article, let quantity):
                let draft = session.draft(article: article, quantity: quantity)
                let order = try await orders.place(draft)
                session.placed.withLock { $0.append(.init(draft: draft, id: order.id)) }
                return .texts([Self.text(order)])
            case .repeated(let number):
                guard let draft = placed.at(number)?.draft else { return .nothing }
                return .texts([Self.text(try await orders.place(draft))])
            case .placeNothing:
                return .texts([Self.text(try await orders.place(OrderDraft(lines: [], key: "nothing")))])
            case .get(let number):
                guard let id = placed.at(number)?.id else { return .nothing }
                return .texts([Self.text(try await orders.order(id))])
            case .list:
                return .texts(try await orders.orders(PageRequest()).items.map(Self.text))
            case .placeWhileRefused(let article):
                return try await session.subject.answering(.place, with: 422) {
                    .texts([Self.text(try await orders.place(session.draft(article: article, quantity: 1)))])
                }
            case .listWhileUnavailable:
                return try await session.subject.answering(.orders, with: 503) {
                    .texts(try await orders.orders(PageRequest()).items.map(Self.text))
                }
            }
        }
    }

    private static func text(_ order: Order) -> String {
        order.lines.map { "\($0.quantity) of \($0.article)" }.joined(separator: ", ")
    }
}
