#if Sandbox
import Cofferdam
import Foundation
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

struct OrderTranslationTests {
    private func order(_ status: String = "paid", price: Int64 = 450, quantity: Int = 2) -> MenagerieOrder {
        let line = LineJSON(article: "hay", quantity: quantity, unit_price: price)
        return MenagerieOrder(OrderJSON(id: "o-1", status: status, lines: [line], placed_at: 1_700_000_000))
    }

    private static let amounts: [(Int64, Currency, String)] = [
        (500, Currency.jpy, "500"), (1234, .kwd, "1.234"), (1, .eur, "0.01"), (-250, .eur, "-2.50"),
        (9_007_199_254_740_993, .eur, "90071992547409.93"), (.max, .jpy, "9223372036854775807"),
    ]

    @Test func `D17: hundredths of every currency are wrong for yen, fils and what a Double cannot hold`() {
        let wrong = Self.amounts.filter { !Self.isExact(NaiveMoney.read($0, in: $1), $1, $2) }.map(\.2)
        #expect(wrong == ["500", "1.234", "90071992547409.93", "9223372036854775807"])
    }

    private static func isExact(_ price: Money?, _ currency: Currency, _ decimal: String) -> Bool {
        price?.decimal == decimal && price?.currency == currency
    }

    @Test("D17: minor units are those of the account's currency, exactly, both ways", arguments: amounts)
    func money(minorUnits: Int64, currency: Currency, decimal: String) throws {
        let translated = try Vendor.played().translate(order(price: minorUnits), by: .order(in: currency), "order")
        let line = try #require(translated.lines.first)
        #expect(Self.isExact(line.unitPrice, currency, decimal))
        #expect(MenagerieOrderLine(line).unitPrice == minorUnits)
    }

    @Test("D17: amounts beyond a Double's precision are read exactly from JSON")
    func exactDecoding() throws {
        let json = #"{"article":"hay","quantity":1,"unit_price":9007199254740993}"#
        #expect(try LineJSON.read(json).unit_price == 9_007_199_254_740_993)
    }

    private static let statuses: [(String, OrderStatus)] = [
        ("pending", .pending), ("paid", .authorized), ("shipped", .shipped), ("cancelled", .cancelled),
        ("refunded", .unknown("refunded")),
    ]

    @Test func `D19: taking a status by its name is wrong for money that is not captured yet`() {
        #expect(Self.statuses.filter { NaiveOrderStatus.read($0) != $1 }.map(\.0) == ["paid", "refunded"])
    }

    @Test("D19: paid means authorised, and an unknown status is kept and reported", arguments: statuses)
    func status(raw: String, status: OrderStatus) throws {
        let log = IssueLog()
        let translated = try Vendor.played(issues: log).translate([order(raw)], by: .order(in: .eur), "orders")
        #expect(translated.map(\.status) == [status])
        #expect(log.issues.map(\.path) == (raw == "refunded" ? ["orders[0].status"] : []))
    }

    @Test("D17: an order of less than one of an article cannot be read")
    func quantity() throws {
        let error = #expect(throws: SanctuaryError.self) {
            try Vendor.played().translate([order(quantity: 0)], by: .order(in: .eur), "orders")
        }
        #expect(error?.subject == "orders[0].lines[0].quantity")
    }

    @Test("D17: an account without a currency cannot be read")
    func accountCurrency() throws {
        let session = MenagerieSession(
            token: "secret",
            userID: "amara",
            displayName: "Amara",
            currency: "€",
            expires: .distantFuture
        )
        let error = #expect(throws: SanctuaryError.self) {
            try Vendor.played().translate(session, by: .account, "session")
        }
        #expect(error?.code == .decoding)
        #expect(error?.subject == "currency")
    }
}
#endif
