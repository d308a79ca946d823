#if Staged
import Foundation
import SanctuaryDomain
import Testing
import TestSupport

@testable import SanctuarySDK

@Suite final class InstallationUnitTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "unit-\(UUID().uuidString)").path

    deinit {
        // Does not exist if nothing was stored.
        removeFolder(directory)
    }

    @Test
    func `The id is made once, and is the same after a restart`() throws {
        let first = try InstallationUnit(directory: directory).id()
        #expect(first.hasPrefix("device-"))
        #expect(try InstallationUnit(directory: directory).id() == first)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["sanctuary.unit"])
    }

    @Test
    func `Many who make it at once have one`() async throws {
        let ids = try await withThrowingTaskGroup(of: String.self) { [directory] group in
            for _ in 0..<50 { group.addTask { try InstallationUnit(directory: directory).id() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test
    func `One that cannot be read is an error, and is not made anew`() throws {
        let file = directory + "/sanctuary.unit"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let error = #expect(throws: SanctuaryError.self) { try InstallationUnit(directory: self.directory).id() }
        #expect(error?.subject == file)
        try FileManager.default.removeItem(atPath: file)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: file))
        let damaged = #expect(throws: SanctuaryError.self) { try InstallationUnit(directory: self.directory).id() }
        #expect(damaged?.code == .decoding)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("nonsense".utf8))
    }
}
#endif
