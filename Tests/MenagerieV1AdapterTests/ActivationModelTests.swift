import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `D11, D13: at most one is active at any moment, and it is the last one chosen`(seed: UInt64) async throws {
        try await OpenSanctuary.with { sanctuary in
            var model = ActivationModel()
            var random = Seeded(state: seed)
            let port = sanctuary.services.accessories
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
                    try sanctuary.control.loseLink(of: id)
                    model.lose(id)
                default:
                    steps.append("restore \(id)")
                    // Refused where no link is lost.
                    do {
                        try sanctuary.control.restoreLink(of: id)
                        model.restore(id)
                    } catch {}
                }
                let active = try await port.accessories().filter { $0.link == .active }.map(\.id.rawValue)
                try #require(active == (model.active.map { [$0] } ?? []), "seed \(seed): \(steps)")
            }
        }
    }
}

/// Which accessory is to be active, whatever happens to the links.
private struct ActivationModel {
    private(set) var active: String?
    /// Active when its link was lost, with none activated since.
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

/// SplitMix64, so that a run can be repeated.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
