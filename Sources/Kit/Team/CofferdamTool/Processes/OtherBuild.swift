#if CommandLine
import ArgumentParser
import CofferdamContracts

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The arguments of `--adapter`: names, which restrict a run, and other builds' adapters, which are added to it.
struct AdapterArguments: Sendable, Hashable {
    let names: [String]
    let builds: [OtherBuild]

    /// - Throws: `ValidationError` for an empty name or path, and for two paths with the same name.
    init(_ arguments: [String]) throws {
        var (names, builds): ([String], [OtherBuild]) = ([], [])
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                names.append(argument)
                continue
            }
            guard !parts[0].isEmpty, !parts[1].isEmpty else {
                throw ValidationError("--adapter '\(argument)' is not NAME=PATH.")
            }
            let build = OtherBuild(adapter: String(parts[0]), at: String(parts[1]))
            guard !builds.contains(where: { $0.isNamed(build.adapter) }) else {
                throw ValidationError("--adapter names '\(build.adapter)' with two paths.")
            }
            builds.append(build)
        }
        (self.names, self.builds) = (names, builds)
    }

    /// The adapters that a run is restricted to; empty for no restriction.
    var selected: [String] { names.isEmpty ? [] : names + builds.map(\.adapter) }
}

/// An adapter in another build of the team's tool.
struct OtherBuild: Sendable, Hashable {
    let adapter: String
    let path: String

    init(adapter: String, at path: String) {
        self.adapter = adapter
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    func isNamed(_ name: String) -> Bool { adapter.lowercased() == name.lowercased() }

    #if os(macOS) || os(Linux)
    /// Asks the build to describe itself.
    ///
    /// - Throws: ``OtherBuildRefused``; `CancellationError`.
    func describe(within limit: Duration = .seconds(60)) async throws -> WorkerDescription {
        do {
            let worker = try WorkerProcess(path, ["worker", "describe"])
            let line = try await worker.next(within: limit)
            worker.release()
            let version = try WorkerLine.value(WorkerVersion.self, of: line).version
            guard version == WorkerVersion.current.version else {
                throw refusal(
                    "it speaks version \(version) of the workers' protocol, not \(WorkerVersion.current.version)"
                )
            }
            return try WorkerLine.value(of: line)
        } catch let error as NotStarted {
            throw refusal("\(error)")
        } catch let error as ProcessEnded {
            throw refusal("it does not describe itself as a tool of this kit: \(error)")
        } catch is ProcessOverdue {
            throw refusal("it did not describe itself within \(limit)")
        }
    }
    #endif

    /// Returns the adapter's description in the other build, marked as running there.
    ///
    /// - Throws: ``OtherBuildRefused`` if its results would not be comparable to those of the tool's own adapters.
    func description(in other: WorkerDescription, beside own: WorkerDescription) throws(OtherBuildRefused)
        -> AdapterDescription
    {
        guard other.digest == own.digest else {
            throw refusal(
                "it has another contract (\(other.digest.prefix(12)), not \(own.digest.prefix(12))): build both from the same rules"
            )
        }
        guard other.fixtures == own.fixtures else { throw refusal("it has other fixtures") }
        guard var found = other.adapters.first(where: { isNamed($0.name) }) else {
            let known = other.adapters.map(\.name).sorted()
            throw refusal("\(UnknownSelection(kind: "adapter", name: adapter, known: known))")
        }
        found.process = AdapterProcess(
            path: path,
            toolchain: other.toolchain,
            replacesOwn: own.adapters.contains { $0.name == found.name }
        )
        return found
    }

    func refusal(_ reason: String) -> OtherBuildRefused {
        OtherBuildRefused(description: "--adapter \(adapter)=\(path): \(reason)")
    }
}

/// A build that cannot be run beside this one.
struct OtherBuildRefused: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String
}

extension [OtherBuild] {
    /// - Throws: ``OtherBuildRefused`` for the first build that cannot run beside the tool's own adapters.
    func adapters(
        beside tooling: Tooling,
        separateProcesses: Bool,
        triesUndeclared: Bool,
        patience: Int
    ) async throws -> [AdapterElsewhere] {
        guard !isEmpty else { return [] }
        #if os(macOS) || os(Linux)
        let own = try await WorkerDescription(of: tooling)
        var adapters: [AdapterElsewhere] = []
        for build in self {
            let description = try build.description(in: try await build.describe(), beside: own)
            let isolation = CaseIsolation.workers(
                of: build.path,
                separateProcesses: separateProcesses,
                triesUndeclared: triesUndeclared,
                patience: patience
            )
            adapters.append(AdapterElsewhere(description, isolation: isolation))
        }
        return adapters
        #else
        throw self[0].refusal("there are no child processes here")
        #endif
    }
}

extension Tooling {
    /// Returns the tooling with other builds' adapters added. Each replaces the adapter of the same name, or comes
    /// last.
    func adding(_ others: [AdapterElsewhere]) -> Tooling {
        var tooling = self
        for other in others {
            tooling.adapters.put(other.description) { $0.name == other.description.name }
        }
        tooling.upgrade = upgrade ?? UpgradePath(among: tooling.adapters)
        return tooling
    }
}
#endif
