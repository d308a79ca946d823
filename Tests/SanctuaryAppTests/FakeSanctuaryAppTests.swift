import Cofferdam
import CofferdamState
import SanctuaryApp
import SanctuaryDomain
import SanctuaryFake
import Testing

/// Checks the app's screens on the in-memory sanctuary, which fulfils the ports' contract.
@Suite struct FakeSanctuaryAppTests {
    private func signedIn() async throws -> Features {
        let features = Features(services: FakeSanctuary().services)
        _ = try await features.account.signIn(user: "amara", password: "sandbox")
        return features
    }

    @Test func `the catalogue is split, with nothing left out`() async throws {
        let listing = try await Features(services: FakeSanctuary().services).catalogue.animals()
        let houses = listing.houses
        #expect(listing.total > 0)
        #expect(houses.mythological.contains { $0.creature == .kerberos })
        #expect(houses.mythological.count + houses.regular.count + houses.remainder.count == listing.total)
    }

    @Test func `orders are visible only to a signed-in user (AUTH-10)`() async throws {
        let features = Features(services: FakeSanctuary().services)
        let error = await #expect(throws: SanctuaryError.self) { try await features.orders.orders() }
        #expect(error?.code == .authenticationRequired)
        _ = try await features.account.signIn(user: "amara", password: "sandbox")
        #expect(try await features.orders.orders().isEmpty == false)
        try await features.account.signOut()
        await #expect(throws: SanctuaryError.self) { try await features.orders.orders() }
    }

    @Test func `a picture is provided`() async throws {
        let features = try await signedIn()
        let animal = try #require(try await features.catalogue.animals().animals.first)
        #expect(try await features.photos.picture(of: animal.id).value().bytes.isEmpty == false)
    }

    @Test func `a sent message is on the conversation's screen`() async throws {
        let features = try await signedIn()
        let screen = features.conversation.screen(reader: "amara") { ("", "\($0.millisecondsSince1970)") }
        try await screen.load()
        let before = screen.list.rows.current.count
        _ = try await features.conversation.send("<b>fed</b>")
        try await screen.load()
        #expect(screen.list.rows.current.count == before + 1)
        #expect(screen.list.present(with: HTMLMessageListRenderer()).contains("&lt;b&gt;fed&lt;/b&gt;"))
    }

    @Test func `a command reaches the accessory in use`() async throws {
        let features = try await signedIn()
        let accessory = try #require(try await features.accessories.accessories().all.first)
        try await features.accessories.activate(accessory.id)
        #expect(try await features.accessories.perform(.identify).id == accessory.id)
        try await features.accessories.release(accessory.id)
        let error = await #expect(throws: FeatureError.self) { try await features.accessories.perform(.identify) }
        #expect(error?.code == .noAccessory)
    }
}
