#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

/// Checks that what the app stored under V2 is read under V1 after a rollback, from the same directory.
@Suite(.timeLimit(.minutes(5))) struct RollbackTests {
    @Test(arguments: Handling.allCases, Charge.all)
    func `D1, D17, D23: ids, money and dates written under V2 are the same under V1`(
        handling: Handling,
        charge: Charge
    ) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.signIn(charge.user)
            let file = URL(fileURLWithPath: sanctuary.directory + "/app.json")
            try await write(handling, charge, sanctuary, to: file)
            await sanctuary.services.close()

            try await sanctuary.rolledBack(charge.user) { old in
                let diary = try JSONDecoder().decode(Diary.self, from: Data(contentsOf: file))
                if handling == .naive {
                    #expect((diary.money == charge.price) == (charge.price.currency == .eur))
                    #expect(diary.moment == nil)
                }
                guard try handling.refuses(try await old.agrees(diary, charge.price)) else { return }
                let messages = try await old.messages.messages(PageRequest(limit: 1000)).items
                let sent = messages.filter { $0.id.rawValue == diary.message }
                #expect(sent.map(\.text) == ["fed"])
                #expect(sent.map { "\($0.sentAt.millisecondsSince1970)" } == [diary.sentAt])
            }
            guard handling == .adapter else { return }
            let again = try await sanctuary.openAnother(in: sanctuary.directory)
            #expect(try await again.accounts.state().userID == charge.user)
            await again.close()
        }
    }

    private func write(_ handling: Handling, _ charge: Charge, _ sanctuary: OpenedSanctuary, to file: URL) async throws
    {
        let order = try await sanctuary.orders.place(OrderDraft(lines: charge.lines, key: "rollback"))
        let message = try await sanctuary.messages.send(MessageDraft(text: "fed", key: "k-1"))
        // The first, one whose id V2 spells in upper case, and a mythological one.
        let animals = try await sanctuary.allAnimals().enumerated().filter { [0, 6, 102].contains($0.offset) }
        var diary = Diary(
            animals: Dictionary(uniqueKeysWithValues: animals.map { ($0.element.id.rawValue, $0.element.name) }),
            order: order.id.rawValue,
            price: order.lines[0].unitPrice.decimal,
            currency: order.lines[0].unitPrice.currency.code,
            placedAt: "\(order.placedAt.millisecondsSince1970)",
            message: message.id.rawValue,
            sentAt: "\(message.sentAt.millisecondsSince1970)"
        )
        if handling == .naive { try await diary.takeOver(sanctuary) }
        try JSONEncoder().encode(diary).write(to: file)
    }
}

/// The app's stored data, in the spelling of its own types.
private struct Diary: Codable {
    var animals: [String: String]
    var order: String
    var price: String
    var currency: String
    var placedAt: String
    var message: String
    var sentAt: String
    /// Written by the naive handling, which keeps the vendor's spelling, and reads it as it did under V1.
    var isNaive = false

    mutating func takeOver(_ sanctuary: OpenedSanctuary) async throws {
        let client = try await sanctuary.openClient()
        let recorded = try await client.order(id: order, accessToken: client.token())
        animals = [:]
        for animal in try await client.animals(limit: 3).items { animals[animal.id] = animal.name }
        price = recorded.lines[0].unitPrice.amount
        placedAt = recorded.placedAt
        isNaive = true
        await client.shutdown()
    }

    func animalID(_ stored: String) -> AnimalID? {
        isNaive ? Int(stored).map { AnimalID("\($0)") } : AnimalID(stored)
    }

    var money: SanctuaryDomain.Money? {
        guard let currency = Currency(currency) else { return nil }
        guard isNaive else { return Money(decimal: price, currency: currency) }
        return Double(price).map { Money(minorUnits: Int64($0 * 100), currency: currency) }
    }

    var moment: Instant? {
        isNaive
            ? Double(placedAt).flatMap { Instant(seconds: $0) }
            : Int64(placedAt).map { Instant(millisecondsSince1970: $0) }
    }
}

extension SanctuaryServices {
    /// Whether everything in the diary agrees with these services.
    fileprivate func agrees(_ diary: Diary, _ price: SanctuaryDomain.Money) async throws -> Bool {
        for (stored, name) in diary.animals {
            guard let id = diary.animalID(stored), try await catalogue.animal(id).name == name else { return false }
        }
        let order = try await orders.order(OrderID(diary.order))
        let isSame = order.lines.map(\.unitPrice) == [price] && diary.money == price && diary.moment == order.placedAt
        return isSame && diary.animals.count == 3
    }
}

extension OpenedSanctuary {
    /// Opens V1 where V2 was. V2's session means nothing to it, so the user signs in.
    fileprivate func rolledBack(_ user: String, _ body: (SanctuaryServices) async throws -> Void) async throws {
        try await withMenagerieV1(at: url, in: directory) { old in
            let state = try await old.accounts.state()
            #expect(state == .signedOut)
            _ = try await old.accounts.signIn(Credentials(user: user, password: "sandbox"))
            try await body(old)
        }
    }
}
#endif
