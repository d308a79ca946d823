#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

extension Survival {
    private static let camera = AccessoryID("camera-1")

    /// The camera, which this device has linked.
    func accessory() async throws -> Outcome {
        try control.updateAccessory(Self.camera.rawValue, state: .linked)
        switch fate {
        case .upgrade:
            break
        case .kill:
            control.inject(.hold, on: .activateAccessory)
            async let _: Void = killChild { await $0.waitForHeld(exactly: 1) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String] in
                try Survival.announce(in: directory)
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory)
                )
                try await services.accessories.activate(AccessoryID("camera-1"))
            }
            await control.waitForHeld(exactly: 0)
        case .locked:
            try await installation.locked(file(v1: "menagerie.accessories", v2: "com.menagerie.v2.links.json")) {
                try await withV2 { try await use($0) }
            }
        case .downgrade:
            try await withV2 { try await use($0) }
            try await withV1 { services in
                #expect(try await link(services) == .active)
                try await use(services)
                try await services.accessories.release(Self.camera)
            }
        }
        try await withV2 { services in
            let isHeld = [.linked, .active].contains(try await link(services))
            #expect(isHeld == (fate != .downgrade), "it was released under V1")
            try await use(services)
            try await services.accessories.release(Self.camera)
            #expect(try await link(services) == .available)
        }
        return .kept
    }

    private func use(_ services: SanctuaryServices) async throws {
        try await services.accessories.activate(Self.camera)
        #expect(try await link(services) == .active)
        try await services.accessories.perform(.identify, on: Self.camera)
    }

    private func link(_ services: SanctuaryServices) async throws -> Accessory.Link? {
        try await services.accessories.accessories().first { $0.id == Self.camera }?.link
    }
}
#endif
