import Cofferdam
import CofferdamContracts
import TestSupport

@testable import CofferdamTool
@testable import mytool

/// A port with a write, a read and a stream, for tapes of an isolated world.
protocol Till: Sendable {
    func sell(_ sale: Sale) async throws -> Receipt
    func total() async throws -> Int
    /// All sales to that customer so far, followed by new ones.
    func sales(of customer: String) -> PortEvents<Sale>
}

struct Sale: Sendable, Hashable, Codable {
    var customer: String
    var cents: Int
}

struct Receipt: Sendable, Hashable, Codable {
    var number: Int
    var cents: Int
}

enum TillOperations {
    static let sell = PortOperation<any Till, Sale, Receipt>("sell", .write) { try await $0.sell($1) }
        .recorded { ["customer": $0.customer, "cents": $0.cents] }
    static let total = PortOperation<any Till, Void, Int>("total", .read) { till, _ in try await till.total() }
        .recorded()
    static let sales = StreamingOperation<any Till, String, Sale>("sales") { $0.sales(of: $1) }
        .recorded { ["customer": $0] }
    static let unrecorded = StreamingOperation<any Till, String, Sale>("unrecorded") { $0.sales(of: $1) }
}

/// An adapter with its own world.
final class TillDouble: Till {
    let name: String
    private let made = Mutex([Sale]())
    /// Counts how often a stream has waited for a sale that did not come.
    let waiting = Log<Void>()
    /// Changes each sale as its vendor does.
    private let change: @Sendable (inout Sale) -> Void
    /// How the stream continues after the existing sales: it stays open, ends, or fails.
    private let end: End

    enum End: Sendable { case none, finish, failure(ShelfError) }

    init(_ name: String, end: End = .none, change: @escaping @Sendable (inout Sale) -> Void = { _ in }) {
        (self.name, self.end, self.change) = (name, end, change)
    }

    /// All sales ever made here.
    var sold: [Sale] { made.withLock { $0 } }

    func sell(_ sale: Sale) async throws -> Receipt {
        var sale = sale
        change(&sale)
        return made.withLock { [sale] made in
            made.append(sale)
            return Receipt(number: made.count, cents: sale.cents)
        }
    }

    func total() async throws -> Int { sold.reduce(0) { $0 + $1.cents } }

    func sales(of customer: String) -> PortEvents<Sale> {
        let rest = Mutex(sold.filter { $0.customer == customer })
        return AsyncThrowingStream { [end, waiting] in
            if let next = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return next }
            switch end {
            case .none:
                waiting.add(())
                // Until it is cancelled.
                return try await vendorCall { (complete: @escaping @Sendable (Result<Sale?, any Error>) -> Void) in
                    VendorCancellation { withExtendedLifetime(complete) {} }
                }
            case .finish: return nil
            case .failure(let error): throw error
            }
        }
    }

    var adapter: AdapterUnderTest<any Till> {
        AdapterUnderTest(name: name, open: { self }, reset: { _ in self.made.withLock { $0 = [] } })
    }
}
