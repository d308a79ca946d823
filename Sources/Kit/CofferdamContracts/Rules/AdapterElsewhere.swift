/// An adapter of another build: its cases run in that build's processes, and nothing of it is in this one.
package struct AdapterElsewhere: Sendable {
    package let description: AdapterDescription
    package let isolation: CaseIsolation

    /// - Parameter description: names the other build as its process.
    package init(_ description: AdapterDescription, isolation: CaseIsolation) {
        self.description = description
        self.isolation = isolation
    }
}

/// The build in whose processes an adapter's cases run, if it is not the run's own.
package struct AdapterProcess: Sendable, Hashable, Codable {
    /// Of the executable.
    package var path: String
    /// "Swift 6.3.1".
    package var toolchain: String
    /// Whether the run's own build has an adapter of that name, too; it is not run.
    package var replacesOwn: Bool

    package init(path: String, toolchain: String, replacesOwn: Bool) {
        self.path = path
        self.toolchain = toolchain
        self.replacesOwn = replacesOwn
    }
}

extension AdapterUnderTest {
    /// It cannot be opened here.
    package init(_ other: AdapterElsewhere) {
        let name = other.description.name
        self.init(
            name: name,
            capabilities: Set(other.description.capabilities),
            harnessCapabilities: Set(other.description.harnessCapabilities),
            identity: other.description.identity,
            open: { throw OpenedElsewhere(name: name) }
        )
        elsewhere = other
    }
}

/// Something opened an adapter that another build has.
private struct OpenedElsewhere: Error, CustomStringConvertible {
    let name: String

    var description: String { "\(name) is another build's, and cannot be opened in this process" }
}

extension AdapterDescription {
    /// "v2 ran in the processes of '/x/mytool' (Swift 6.3.1); this build's own v2 did not run"; nil for one of the run's own build.
    package var origin: String? {
        process.map { process in
            "\(name) ran in the processes of '\(process.path)' (\(process.toolchain))"
                + (process.replacesOwn ? "; this build's own \(name) did not run" : "")
        }
    }
}
