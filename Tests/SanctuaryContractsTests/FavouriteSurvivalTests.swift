#if Sandbox
import Cofferdam
import SanctuaryDomain
import SanctuaryHarness
import Testing

/// Checks that data that the app stored under one major can be read under the other, and back.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FavouriteSurvivalTests {
    @Test(arguments: [[Major.v1, .v2], [.v2, .v1], [.v1, .v2, .v1], [.v2, .v1, .v2]])
    func `D1: a favourite is the same animal whichever major stored it, after an upgrade and after a rollback`(
        _ majors: [Major]
    ) async throws {
        try await majorsOverOneService(majors) { index, services, animals in
            if index == 0 {
                // Newest first, as an app lists them: the first, the oldest, one in upper case, and a mythological one.
                animals = try await services.favourites(at: [106, 0, 6, 102, 50])
            } else {
                for animal in animals {
                    let found = try await services.catalogue.animal(animal.id)
                    #expect(found.id == animal.id)
                    #expect(found.name == animal.name)
                    #expect(found.group == animal.group)
                }
            }
        }
    }

    @Test(arguments: [[Major.v1, .v2], [.v2, .v1]])
    func `D11, D12: an accessory that one major has linked can be used and released by the other`(
        _ majors: [Major]
    ) async throws {
        let camera = AccessoryID("camera-1")
        try await majorsOverOneService(majors) { index, services, _ in
            let accessories = services.accessories
            if index == 0 { return try await accessories.activate(camera) }
            #expect(try await accessories.accessories().filter { $0.link == .active }.map(\.id) == [camera])
            try await accessories.activate(camera)
            try await accessories.perform(.identify, on: camera)
            try await accessories.release(camera)
            #expect(try await accessories.accessories().first { $0.id == camera }?.link == .available)
        }
    }

    private func majorsOverOneService(
        _ majors: [Major],
        _ body: (Int, SanctuaryServices, inout [Animal]) async throws -> Void
    ) async throws {
        var animals: [Animal] = []
        try await MajorsInTurn.with { turn in
            for (index, major) in majors.enumerated() {
                try await turn.open(major) { services in try await body(index, services, &animals) }
            }
        }
        #expect(animals.isEmpty || animals.count == 5)
    }
}

extension SanctuaryServices {
    /// Returns the animals at those indices of the whole catalogue.
    fileprivate func favourites(at places: [Int]) async throws -> [Animal] {
        var all: [Animal] = []
        var request = AnimalsRequest()
        repeat {
            let page = try await catalogue.animals(request)
            all += page.items
            request.page.cursor = page.next
        } while request.page.cursor != nil
        return places.map { all[$0] }
    }
}
#endif
