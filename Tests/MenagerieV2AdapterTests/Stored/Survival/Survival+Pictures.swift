#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

extension Survival {
    private static let animal = AnimalID("5")

    /// The picture of an animal that was viewed.
    func pictures() async throws -> Outcome {
        if stored != .v2 { try await placeGoldenPicture() }
        var before = control.pictureBytesSent
        var size = 0
        func look(_ services: SanctuaryServices) async throws {
            let picture = try await services.photos.photo(of: Self.animal)
            #expect(picture.bytes == control.photo(ofAnimal: 5))
            size = picture.bytes.count
        }
        switch fate {
        case .upgrade:
            break
        case .kill:
            // Each view writes the file again.
            async let _: Void = killChild { await $0.waitForCalls(of: .photo, atLeast: 20) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String] in
                try Survival.announce(in: directory)
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory)
                )
                while true { _ = try await services.photos.photo(of: AnimalID("5")) }
            }
        case .locked:
            try await installation.locked(file(v1: "menagerie.photos", v2: "com.menagerie.v2.images")) {
                try await withV2 { services in for _ in 1...2 { try await look(services) } }
            }
            if stored == .v2 {
                #expect(control.pictureBytesSent == before + 2 * size, "downloaded each time")
                before = control.pictureBytesSent
            }
        case .downgrade:
            try await withV2 { try await look($0) }
            before = control.pictureBytesSent
            try await withV1 { try await look($0) }
        }
        try await withV2 { try await look($0) }
        if stored != .v2 { #expect(try OrphanedPictures.found(in: directory).files == 1) }
        let sent = control.pictureBytesSent - before
        #expect(sent == 0 || sent == size)
        return sent == 0 ? .kept : .downloadedOnce
    }

    /// Lets V1 view the picture once, and replaces its file with the golden one. V1 names the file after the service's
    /// address, which differs for each test.
    private func placeGoldenPicture() async throws {
        try await withV1 { _ = try await $0.photos.photo(of: Self.animal) }
        let folder = directory + "/menagerie.photos/"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != Installation.picture }
        #expect(names.count == 1)
        for name in names { try FileManager.default.removeItem(atPath: folder + name) }
        try FileManager.default.moveItem(atPath: folder + Installation.picture, toPath: folder + names[0])
    }
}
#endif
