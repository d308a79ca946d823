import Cofferdam
import CofferdamState
import SanctuaryApp
import SanctuaryDomain
import Testing

@Suite struct GalleryTests {
    private let id = AnimalID("emu")

    @Test func `an animal's picture is shared by all screens and fetched once`() async throws {
        let calls = Counter()
        let gallery = Ports(photo: { id in
            calls.add()
            return Photo(bytes: Array(id.rawValue.utf8), mediaType: "image/bmp")
        }).features().gallery
        let (list, detail) = (gallery.picture(of: id), gallery.picture(of: id))
        #expect(list === detail)
        #expect(gallery.picture(of: AnimalID("rhea")) !== list)
        let activations = [list.activate(), detail.activate()]
        #expect(try await list.fetchIfNeeded().bytes == Array("emu".utf8))
        #expect(try await detail.fetchIfNeeded().bytes == Array("emu".utf8))
        #expect(calls.count == 1)
        withExtendedLifetime(activations) {}
    }

    @Test func `when no screen shows it, it is no longer fetched`() async throws {
        let (calls, ends) = (Counter(), Counter())
        let gallery = Ports(photo: { _ in
            calls.add()
            while !Task.isCancelled { await Task.yield() }
            ends.add()
            throw CancellationError()
        }).features().gallery
        let picture = gallery.picture(of: id)
        let (list, detail) = (picture.activate(), picture.activate())
        while calls.count == 0 { await Task.yield() }
        list.cancel()
        #expect(picture.snapshot.state == .syncing)
        detail.cancel()
        #expect(picture.snapshot.state == .idle)
        while ends.count == 0 { await Task.yield() }
        #expect(calls.count == 1)
    }

    @Test func `a picture that fails is tried again when it is shown next`() async throws {
        let calls = Counter()
        let gallery = Ports(photo: { _ in
            calls.add()
            if calls.count == 1 { throw SanctuaryError(.truncated, "lost") }
            return Photo(bytes: [1], mediaType: "image/bmp")
        }).features().gallery
        let picture = gallery.picture(of: id)
        await picture.sync()
        #expect((picture.snapshot.error as? SanctuaryError)?.code == .truncated)
        let sight = picture.activate()
        try await picture.wait(for: .success)
        #expect(picture.snapshot.contents?.bytes == [1])
        sight.cancel()
    }
}
