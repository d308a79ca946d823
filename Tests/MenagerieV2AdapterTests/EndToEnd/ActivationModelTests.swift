#if Sandbox
import Cofferdam
import CofferdamSupport
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct ActivationModelTests {
    /// How the accessories are reached.
    enum Way: CaseIterable {
        case v1, v2, naiveV2
    }

    @Test(arguments: Way.allCases, [1, 2, 3] as [UInt64])
    func `D11, D13: at most one is active at any moment, and it is the last one chosen`(way: Way, seed: UInt64)
        async throws
    {
        try await OpenedSanctuary.with { sanctuary in
            let control = sanctuary.control
            switch way {
            case .v1:
                try await withMenagerieV1(at: sanctuary.url, in: sanctuary.directory + "/old") { services in
                    let found = try await Self.divergence(of: services.accessories, control, seed: seed)
                    #expect(found == nil)
                }
            case .v2:
                let found = try await Self.divergence(of: sanctuary.accessories, control, seed: seed)
                #expect(found == nil)
            case .naiveV2:
                let client = try await sanctuary.openClient()
                let naive = NaiveV2Accessories(client: client)
                do {
                    let found = try await Self.divergence(of: naive, control, seed: seed)
                    #expect(found != nil)
                } catch let error as MenagerieError {
                    // It does not know accessories whose link is lost.
                    guard case .validation = error else { throw error }
                }
                await client.shutdown()
            }
        }
    }

    /// Applies a hundred changes to the accessories.
    ///
    /// - Returns: the steps after which the active accessory differs from the model's; nil if it never does.
    private static func divergence(
        of port: any Accessories,
        _ control: SandboxControl,
        seed: UInt64
    ) async throws -> [String]? {
        var model = ActivationModel()
        var random = SplitMix64(seed: seed)
        let ids = ["camera-1", "collar-1", "feeder-1", "scale-1"]
        for id in ids { try await port.release(AccessoryID(id)) }
        var steps: [String] = []
        for _ in 0..<100 {
            guard let id = ids.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                steps.append("activate \(id)")
                try await port.activate(AccessoryID(id))
                model.activate(id)
            case 1:
                steps.append("release \(id)")
                try await port.release(AccessoryID(id))
                model.release(id)
            case 2:
                steps.append("lose \(id)")
                try control.loseLink(of: id)
                model.lose(id)
            default:
                steps.append("restore \(id)")
                // Refused if the link is not lost.
                do {
                    try control.restoreLink(of: id)
                    model.restore(id)
                } catch {}
            }
            let active = try await port.accessories().filter { $0.link == .active }.map(\.id.rawValue)
            if active != (model.active.map { [$0] } ?? []) { return steps }
        }
        return nil
    }
}

/// The accessory that must be active, whatever happens to the links.
private struct ActivationModel {
    private(set) var active: String?
    /// The accessory that was active when its link was lost, if none was activated since.
    private var lost: String?

    mutating func activate(_ id: String) { (active, lost) = (id, nil) }

    mutating func release(_ id: String) {
        if active == id { active = nil }
        if lost == id { lost = nil }
    }

    mutating func lose(_ id: String) {
        if active == id { (active, lost) = (nil, id) }
    }

    mutating func restore(_ id: String) {
        if lost == id { (active, lost) = (id, nil) }
    }
}
#endif
