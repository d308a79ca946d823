#if Sandbox
import Cofferdam
import CofferdamUpgrade
import SanctuaryDomain
import SanctuaryOperations
import SanctuaryRouting
import Testing

/// Checks the ports' comparators on two sides' answers.
@Suite struct ComparatorTests {
    @Test func `an animal is compared field by field, and V1's zero is an expected difference`() {
        let (old, new) = (Animal.dragon(legs: .ambiguousZero), Animal.dragon(legs: .known(0)))
        let differences = Comparator.animals.differences(legacy: old, candidate: new, subject: "animal")
        #expect(differences.map(\.path) == ["legs"])
        #expect(outcome(differences, of: .catalogue) == .expected)

        let wrong = Comparator.animals.differences(legacy: old, candidate: .dragon(legs: .known(2)), subject: "animal")
        #expect(outcome(wrong, of: .catalogue) == .mismatch)
    }

    @Test func `V1's zero is an expected difference anywhere on a page`() {
        let differences = Comparator.pages(of: .animals).differences(
            legacy: Page(items: [.dragon(legs: .known(4)), .dragon(legs: .ambiguousZero)], next: nil),
            candidate: Page(items: [.dragon(legs: .known(4)), .dragon(legs: .unknown)], next: nil),
            subject: "animals"
        )
        #expect(differences.map(\.path) == ["items[1].legs"])
        #expect(outcome(differences, of: .catalogue) == .expected)
    }

    @Test func `a page that is capped is compared as far as it goes`() {
        let legacy = Page(items: [Animal.dragon(legs: .known(1)), .dragon(legs: .known(2))], next: nil)
        func differences(_ candidate: Page<Animal>) -> [String] {
            Comparator.pages(of: .animals).differences(legacy: legacy, candidate: candidate, subject: "").map(\.path)
        }
        #expect(differences(Page(items: [.dragon(legs: .known(1))], next: Cursor("x"))) == [])
        #expect(differences(Page(items: [.dragon(legs: .known(3))], next: Cursor("x"))) == ["items[0].legs"])
        #expect(differences(Page(items: [.dragon(legs: .known(1))], next: nil)) == ["items[1]"])
        #expect(differences(Page(items: legacy.items, next: Cursor("x"))) == ["next"])
    }

    @Test func `paid instead of three states is an expected difference, and another price never is`() {
        let old = Order.made("1", status: .authorized)
        let captured = Comparator.orders.differences(legacy: old, candidate: .made("1", status: .captured), subject: "")
        #expect(outcome(captured, of: .orders) == .expected)

        let dearer = Comparator.orders.differences(legacy: old, candidate: .made("1", price: 101), subject: "")
        #expect(dearer.map(\.path) == ["lines[0].unitPrice", "totals"])
        #expect(outcome(dearer, of: .orders) == .mismatch)
    }

    @Test func `orders that V1 cannot have are an expected difference, and others that are missing are not`() {
        let legacy = Page(items: [Order.made("1"), .made("3")], next: nil)
        func outcome(_ orders: [Order]) -> ComparisonOutcome {
            let candidate = Page(items: orders, next: nil)
            return self.outcome(
                Comparator.orderPages.differences(legacy: legacy, candidate: candidate, subject: "orders"),
                of: .orders
            )
        }
        #expect(outcome([.made("1"), .made("2", currency: .jpy), .made("3")]) == .expected)
        #expect(outcome([.made("1"), .made("2"), .made("3")]) == .mismatch)
        #expect(outcome([.made("1")]) == .mismatch)
    }

    @Test func `messages are compared whatever their order, and what people write is not shown`() {
        let (first, second) = (Message.made("1", "secret one"), Message.made("2", "secret two"))
        func differences(_ candidate: [Message]) -> [Difference] {
            Comparator.messagePages.differences(
                legacy: Page(items: [first, second], next: nil),
                candidate: Page(items: candidate, next: nil),
                subject: "messages"
            )
        }
        #expect(differences([second, first]) == [])
        let found = differences([second, .made("1", "another secret")]) + differences([first])
        #expect(found.map(\.path) == ["items[0].text", "items[1]"])
        #expect(!"\(found)".contains("secret"))
    }

    @Test func `two pictures are distinguished by a digest`() {
        let (old, new) = (Photo(bytes: [1, 2], mediaType: "a/b"), Photo(bytes: [2, 1], mediaType: "a/b"))
        let differences = Comparator.photos.differences(legacy: old, candidate: new, subject: "photo")
        #expect(differences.map(\.path) == ["bytes"])
        #expect(differences.first?.legacy?.hasPrefix("2 bytes, ") == true)
        #expect(differences.first?.legacy != differences.first?.candidate)
    }

    @Test func `only an account's currency is shown`() {
        let old = Account(id: "amara", displayName: "Amara", currency: .eur)
        let new = Account(id: "kenji", displayName: "Kenji", currency: .jpy)
        let shown = "\(Comparator.accounts.differences(legacy: old, candidate: new, subject: "state"))"
        #expect(shown.contains("JPY"))
        for name in ["amara", "Amara", "kenji", "Kenji"] { #expect(!shown.contains(name)) }
    }

    @Test func `each expectation has an id of its own, a rate and an end`() {
        for (capability, agreed) in expectedDifferences {
            #expect(AgreedDifferences(agreed, at: 0).all.count == agreed.count, "\(capability)")
            for expectation in agreed {
                #expect(expectation.expires != nil)
                #expect((0...1).contains(expectation.rate))
            }
        }
    }

    private func outcome(_ differences: [Difference], of capability: RoutedCapability) -> ComparisonOutcome {
        AgreedDifferences(expectedDifferences[capability, default: []], at: 0).outcome(of: differences).outcome
    }
}

extension Animal {
    fileprivate static func dragon(legs: Count) -> Animal {
        Animal(id: AnimalID("1"), name: "dragon", displayName: "dragon", group: .other, legs: legs, heads: .known(3))
    }
}

extension Order {
    fileprivate static func made(
        _ id: String,
        status: OrderStatus = .authorized,
        price: Int64 = 100,
        currency: Currency = .eur
    ) -> Order {
        let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: price, currency: currency))
        return Order(id: OrderID(id), status: status, lines: [line], placedAt: Instant(millisecondsSince1970: 0))
    }
}

extension Message {
    fileprivate static func made(_ id: String, _ text: String) -> Message {
        Message(id: MessageID(id), author: "secret author", text: text, sentAt: Instant(millisecondsSince1970: 0))
    }
}
#endif
