import Cofferdam
import CofferdamState
import CofferdamStore
import Observation
import SanctuaryApp
import SanctuaryDomain
import Testing

/// Checks that all screens share one store: an animal renamed in one place has its new name everywhere.
@Suite struct OneTruthTests {
    private let sanctuary = RenamableSanctuary()

    private struct Screens {
        let features: Features
        let conversation: ConversationScreen
        let tiger: AnimalID

        var list: String? { features.catalogue.all.snapshot.contents?.first { $0.id == tiger }?.displayName }
        var house: String? { features.catalogue.regular.snapshot.contents?.first { $0.id == tiger }?.displayName }
        var order: String? { features.orders.all.snapshot.contents?.last?.shown.lines.first?.article }
        var message: String? {
            conversation.list.present(with: TerminalMessageListRenderer(isColoured: false))
                .split(separator: "\n").last.map(String.init)
        }
        func detail() async -> String? {
            for await animal in features.catalogue.details(of: tiger) { return animal?.displayName }
            return nil
        }
    }

    private func screens(_ features: Features) async throws -> Screens {
        Screens(
            features: features,
            conversation: features.conversation.screen { _ in ("", "noon") },
            tiger: try #require(try await sanctuary.id(of: "tiger"))
        )
    }

    /// Creates an order and a message that mention the tiger, and all screens that show it.
    private func mentioned() async throws -> Screens {
        let screens = try await screens(try await sanctuary.startSignedIn())
        _ = try await screens.features.orders.place([OrderInput(article: "meat for @tiger", quantity: 1, price: "9")])
        _ = try await screens.features.conversation.send("@\(screens.tiger) is hungry")
        _ = try await screens.features.catalogue.animals()
        _ = try await screens.features.orders.orders()
        try await screens.conversation.load()
        return screens
    }

    private func expect(_ name: String, on screens: Screens, _ location: SourceLocation = #_sourceLocation) async {
        #expect(screens.list == name, sourceLocation: location)
        #expect(screens.house == name, sourceLocation: location)
        #expect(await screens.detail() == name, sourceLocation: location)
        #expect(screens.order == "meat for @\(name)", sourceLocation: location)
        #expect(screens.message?.hasSuffix("@\(name) is hungry") == true, sourceLocation: location)
    }

    @Test
    func `an animal renamed in one place is renamed in the list, its house, its detail, the order and the message`()
        async throws
    {
        let screens = try await mentioned()
        await expect("tiger", on: screens)
        sanctuary.rename(screens.tiger, to: "Shere Khan")
        _ = try await screens.features.catalogue.animal(screens.tiger)
        await expect("Shere Khan", on: screens)
    }

    @Test func `whichever screen learns of it`() async throws {
        let screens = try await mentioned()
        sanctuary.rename(screens.tiger, to: "Shere Khan")
        try await screens.features.catalogue.refresh()
        await expect("Shere Khan", on: screens)
    }

    @Test func `a restored order and message keep their mentions`() async throws {
        let screens = try await mentioned()
        sanctuary.rename(screens.tiger, to: "Shere Khan")
        try await screens.features.catalogue.refresh()
        _ = try await screens.features.orders.orders()
        try await screens.conversation.load()
        await expect("Shere Khan", on: screens)
    }

    @Test func `after a restart everything is there before the vendor answers, and the new name with it`() async throws
    {
        let before = try await mentioned()
        sanctuary.rename(before.tiger, to: "Shere Khan")
        _ = try await before.features.catalogue.animal(before.tiger)
        await before.features.save()

        sanctuary.setUnreachable()
        let after = try await screens(sanctuary.start())
        let catalogue = try await after.features.catalogue.latest()
        #expect((catalogue.error as? SanctuaryError)?.code == .unreachable)
        #expect(try await after.features.orders.latest().error != nil)
        #expect(try await after.conversation.latest().error != nil)
        await expect("Shere Khan", on: after)
        #expect(sanctuary.reports.withLock { $0 } == [])

        sanctuary.setUnreachable(false)
        sanctuary.rename(after.tiger, to: "Richard Parker")
        try await after.features.catalogue.refresh()
        await expect("Richard Parker", on: after)
    }

    @Test func `a new name that the catalogue has learned alone is an old order's and message's too`() async throws {
        let before = try await mentioned()
        await before.features.save()
        sanctuary.rename(before.tiger, to: "Shere Khan")
        let between = sanctuary.start()
        try await between.catalogue.refresh()
        await between.save()

        sanctuary.setUnreachable()
        let after = try await screens(sanctuary.start())
        _ = try await after.features.orders.latest()
        _ = try await after.conversation.latest()
        #expect(after.order == "meat for @Shere Khan")
        #expect(after.message?.hasSuffix("@Shere Khan is hungry") == true)
    }

    @Test func `restored contents replace nothing newer`() async throws {
        let before = try await mentioned()
        await before.features.save()
        sanctuary.rename(before.tiger, to: "Shere Khan")
        let after = try await screens(sanctuary.start())
        _ = try await after.features.catalogue.animal(after.tiger)
        sanctuary.setUnreachable()
        _ = try await after.features.catalogue.latest()
        _ = try await after.features.orders.latest()
        _ = try await after.conversation.latest()
        await expect("Shere Khan", on: after)
    }

    @Test func `what an old order has kept of an animal does not bring its old name back`() async throws {
        let before = try await mentioned()
        await before.features.save()
        let after = try await screens(sanctuary.start())
        sanctuary.rename(after.tiger, to: "Shere Khan")
        try await after.features.catalogue.refresh()
        _ = try await after.features.orders.orders()
        try await after.conversation.load()
        await expect("Shere Khan", on: after)
    }

    @Test func `an animal that the vendor no longer has is mentioned as it was written`() async throws {
        let tiger = Animal(
            id: AnimalID("7"),
            name: "tiger",
            displayName: "Tiger",
            group: .mammal,
            legs: .known(4),
            heads: .known(1)
        )
        let said = Message(
            id: MessageID("m"),
            author: "noor",
            text: "where is @tiger?",
            sentAt: Instant(millisecondsSince1970: 0)
        )
        let features = Ports(
            animals: { _ in Page(items: [tiger], next: nil) },
            animal: { throw SanctuaryError(.notFound, "gone", subject: $0.rawValue) },
            messages: { _ in Page(items: [said], next: nil) }
        ).features()
        _ = try await features.conversation.history()
        #expect(features.conversation.all.snapshot.contents?.map(\.shown.text) == ["where is @Tiger?"])
        await #expect(throws: SanctuaryError.self) { try await features.catalogue.animal(tiger.id) }
        #expect(features.catalogue.all.snapshot.contents == [])
        #expect(features.catalogue.regular.snapshot.contents == [])
        #expect(features.conversation.all.snapshot.contents?.map(\.shown.text) == ["where is @tiger?"])
    }

    @MainActor
    @Test func `a view of a house is notified when one of its animals is renamed elsewhere`() async throws {
        let screens = try await mentioned()
        let house = Observed(screens.features.catalogue.regular)
        let isNotified = Mutex(false)
        withObservationTracking {
            _ = house.value
        } onChange: {
            isNotified.withLock { $0 = true }
        }
        sanctuary.rename(screens.tiger, to: "Shere Khan")
        _ = try await screens.features.catalogue.animal(screens.tiger)
        await Task { @MainActor in }.value  // behind the change, which is on its way to the main actor
        #expect(isNotified.withLock { $0 })
        #expect(house.value.contents?.contains { $0.name == "Shere Khan" } == true)
    }
}
