#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

extension Survival {
    /// The ids that the app has written down, and the names that were shown for them.
    func favourites() async throws -> Outcome {
        let journal = directory + "/sanctuary.animal-ids"
        if stored == .v2 {
            // The journal is bound to a service, and each test has its own.
            let golden = try String(contentsOfFile: journal, encoding: .utf8)
            try golden.replacingOccurrences(of: "SERVICE", with: url)
                .write(toFile: journal, atomically: true, encoding: .utf8)
        }
        switch fate {
        case .upgrade:
            break
        case .kill:
            // Each animal writes one line.
            async let _: Void = killChild { await $0.waitForCalls(of: .resolveIdentifiers, atLeast: 20) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String] in
                try Survival.announce(in: directory)
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory)
                )
                while true {
                    for number in 1...107 { _ = try await services.catalogue.animal(AnimalID("\(number)")) }
                }
            }
        case .locked:
            try await installation.locked(journal) { try await withV2 { try await look($0) } }
        case .downgrade:
            try await withV2 { try await look($0) }
            try await withV1 { try await look($0) }
        }
        let asked = control.calls(of: .resolveIdentifiers)
        try await withV2 { try await look($0) }
        if stored == .v2 { #expect(control.calls(of: .resolveIdentifiers) == asked, "the vendor has answered before") }
        return .kept
    }

    private func look(_ services: SanctuaryServices) async throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: directory + "/favourites.json"))
        let favourites = try JSONDecoder().decode([String: String].self, from: content)
        #expect(favourites.count == 3)
        for (id, name) in favourites {
            let animal = try await services.catalogue.animal(AnimalID(id))
            #expect(animal.id == AnimalID(id))
            #expect(animal.name == name)
        }
    }
}
#endif
