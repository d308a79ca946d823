import Cofferdam
import Testing

@testable import CofferdamContracts

private protocol Feed: Sendable {
    func entries(of name: String) -> PortEvents<String>
}

private struct Echo: Feed {
    func entries(of name: String) -> PortEvents<String> {
        AsyncThrowingStream<String, any Error> {
            $0.yield("entry of \(name)")
            $0.finish()
        }
    }
}

private enum FeedOperations {
    static let entries = StreamingOperation<any Feed, String, String>("entries", .read) { $0.entries(of: $1) }
}

extension Intercepted: Feed where Port == any Feed {
    func entries(of name: String) -> PortEvents<String> { self.stream(FeedOperations.entries, name) }
}

private struct Reader: Sendable {
    var feed: any Feed = Echo()
    var name = "a"

    static let place = PortPlace<Reader, any Feed>(\.feed) { Intercepted($0, by: $1) }
}

@Suite("A stream with parameters")
struct PortStreamTests {
    private func all(_ events: PortEvents<String>) async throws -> [String] {
        var all: [String] = []
        for try await event in events { all.append(event) }
        return all
    }

    @Test("The rules subscribe with the subject's input")
    func input() async throws {
        let stream = PortStream(FeedOperations.entries, at: Reader.place) { $0.name }
        #expect(try await all(stream(Reader())) == ["entry of a"])
        #expect(try await all(stream(Reader(name: "b"))) == ["entry of b"])
    }

    @Test("A stream that replaces it is made of clean ones, of the same input")
    func replaced() async throws {
        let stream = PortStream(FeedOperations.entries, at: Reader.place) { $0.name }
        let reader = stream.replaced(in: Reader(name: "c")) { clean in clean() }
        #expect(try await all(stream(reader)) == ["entry of c"])
    }

    @Test("A replaced stream gets its input, and may ask for others")
    func replacing() async throws {
        let reader = Reader.place.replacing(FeedOperations.entries, in: Reader()) { clean, name in clean("not \(name)")
        }
        #expect(try await all(reader.feed.entries(of: "d")) == ["entry of not d"])
    }
}
