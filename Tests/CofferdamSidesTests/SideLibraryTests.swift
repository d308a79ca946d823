#if CommandLine && (os(macOS) || os(Linux))
@testable import CofferdamSides
import Foundation
import Testing

@Suite struct SideLibraryTests {
    @Test func `a library is opened once, whatever the path and however many callers`() async throws {
        let fixtures = try await SideFixtures.all()
        let path = fixtures.path("libTextV1.so")
        let link = fixtures.path("link.so")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let opened = try await withThrowingTaskGroup(of: SideLibrary.self) { group in
            for number in 0..<64 {
                group.addTask { try SideLibrary.open(number.isMultiple(of: 2) ? path : link, ports: "text") }
            }
            return try await group.reduce(into: [ObjectIdentifier: SideLibrary]()) { $0[ObjectIdentifier($1)] = $1 }
        }
        #expect(opened.count == 1)
        #expect(opened.values.first?.path == URL(filePath: path).resolvingSymlinksInPath().path)
        #expect(opened.values.first?.handshake == SideHandshake(ports: "text", port: Text.self))
    }

    @Test func `a library that is open is still refused to callers with other ports or types`() async throws {
        let path = try await SideFixtures.all().path("libTextV1.so")
        let library = try SideLibrary.open(path, ports: "text")
        #expect(throws: SideLibraryError(path: path, reason: .otherPorts(side: "text", process: "others"))) {
            try SideLibrary.open(path, ports: "others")
        }
        let error = #expect(throws: SideLibraryError.self) { try library.port(as: (@Sendable () -> Int).self) }
        guard case .otherPort = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a side that works is opened after its probe`() async throws {
        let fixtures = try await SideFixtures.all()
        // Not the file that the other tests have open.
        let path = fixtures.path("libTextProbed.so")
        try FileManager.default.copyItem(atPath: fixtures.path("libTextV2.so"), toPath: path)
        let text = try SideLibrary.open(path, ports: "text", probe: .inChildProcess(try SideFixtures.probe))
            .port(as: Text.self)
        #expect(text("a") == "V2 port 1: a")
    }

    @Test func `an existential of more than one word crosses as it is`() {
        // In this process, the test does what a side does: the buffer has the size that the handshake states.
        let handshake = SideHandshake(ports: "", port: (any Hashable & Sendable).self)
        #expect(handshake.size == MemoryLayout<any Hashable & Sendable>.size)
        let place = UnsafeMutablePointer<any Hashable & Sendable>.allocate(capacity: 1)
        defer { place.deallocate() }
        let request = SideEntry.Request.port.rawValue
        #expect(
            SideEntry.answer(request, place, ports: "", as: (any Hashable & Sendable).self) { "a" }
                == UnsafeMutableRawPointer(place)
        )
        #expect(place.move() as? String == "a")
        #expect(SideEntry.answer(request, place, ports: "", as: Int.self) { nil } == nil)
        #expect(SideEntry.answer(99, place, ports: "", as: Int.self) { 1 } == nil)
    }
}
#endif
