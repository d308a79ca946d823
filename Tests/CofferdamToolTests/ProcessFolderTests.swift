import Foundation
import Testing
import TestSupport

@testable import CofferdamTool

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("The temporary folder of a command")
struct ProcessFolderTests {
    /// Runs `body` with a folder in which processes make theirs.
    private func withParent(_ body: (_ parent: String) async throws -> Void) async throws {
        let parent = FileManager.default.temporaryDirectory.appending(path: "processes-\(UUID())").path
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        defer { removeFolder(parent) }
        try await body(parent)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test(
        "A living process's folder stays, whatever its number means here; once the process has ended, the folder goes"
    )
    func living() async throws {
        try await withParent { parent in
            // As of a process in another container: here, no process has this number.
            let path = "\(parent)/cofferdam-\(Int32.max)-abcdef"
            let made = try #require(ProcessFolder.make(in: parent))
            try FileManager.default.moveItem(atPath: made.path, toPath: path)
            try Data().write(to: URL(filePath: "\(path)/file"))
            ProcessFolder.removeAbandoned(in: parent)
            #expect(exists("\(path)/file"))
            close(made.lock)
            ProcessFolder.removeAbandoned(in: parent)
            #expect(!exists(path))
        }
    }

    @Test("A killed process's folder goes, though another process has its number by now")
    func reusedNumber() async throws {
        try await withParent { parent in
            let path = "\(parent)/cofferdam-\(getpid())-abcdef"
            try FileManager.default.createDirectory(atPath: "\(path)/scratch", withIntermediateDirectories: true)
            ProcessFolder.removeAbandoned(in: parent)
            #expect(!exists(path))
        }
    }

    @Test("A killed process's folder stays as long as a process that it started runs in it")
    func nested() async throws {
        try await withParent { parent in
            let path = "\(parent)/cofferdam-7-abcdef"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let inner = try #require(ProcessFolder.make(in: path))
            ProcessFolder.removeAbandoned(in: parent)
            #expect(exists(inner.path))
            close(inner.lock)
            ProcessFolder.removeAbandoned(in: parent)
            #expect(!exists(path))
        }
    }

    @Test("Processes that start at once do not take each other's folders")
    func together() async throws {
        try await withParent { parent in
            let made = await withTaskGroup(of: (path: String, lock: Int32)?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        ProcessFolder.removeAbandoned(in: parent)
                        return ProcessFolder.make(in: parent)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let folders = made.compactMap(\.self)
            #expect(folders.count == 100)
            #expect(folders.filter { !exists($0.path) }.map(\.path) == [])
            for folder in folders { close(folder.lock) }
        }
    }

    @Test(
        "Other folders and files stay",
        arguments: ["cofferdam-7", "cofferdam-7-abcdefg", "cofferdam-x-abcdef", "other"]
    )
    func others(name: String) async throws {
        try await withParent { parent in
            try FileManager.default.createDirectory(atPath: "\(parent)/\(name)", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(parent)/cofferdam-7-abcdef"))
            ProcessFolder.removeAbandoned(in: parent)
            #expect(exists("\(parent)/\(name)") && exists("\(parent)/cofferdam-7-abcdef"))
        }
    }

    #if os(macOS) || os(Linux)
    @Test("A process that is killed leaves its folder, and the next one removes it")
    func killed() async throws {
        try await withParent { parent in
            await #expect(processExitsWith: .signal(SIGKILL)) { [parent = parent as String] in
                try #require(setenv("TMPDIR", parent, 1) == 0)
                ProcessFolder.use()
                kill(getpid(), SIGKILL)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: parent)
            #expect(left.count == 1 && left.allSatisfy { $0.hasPrefix("cofferdam-") })
            ProcessFolder.removeAbandoned(in: parent)
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == [])
        }
    }
    #endif
}
