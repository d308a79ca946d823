/// The build in whose processes an adapter's cases run, if it is not the run's own.
package struct AdapterProcess: Sendable, Hashable, Codable {
    /// The executable's path.
    package var path: String
    /// The build's toolchain: "Swift 6.3.1".
    package var toolchain: String
    /// Whether the run's own build has an adapter of that name too, which then does not run.
    package var replacesOwn: Bool

    package init(path: String, toolchain: String, replacesOwn: Bool) {
        self.path = path
        self.toolchain = toolchain
        self.replacesOwn = replacesOwn
    }
}

extension AdapterUnderTest {
    /// An adapter of another build, which cannot be opened here.
    package init(elsewhere other: AdapterDescription) {
        let name = other.name
        self.init(
            name: name,
            capabilities: Set(other.capabilities),
            harnessCapabilities: Set(other.harnessCapabilities),
            identity: other.identity,
            open: { throw OpenedElsewhere(name: name) }
        )
        elsewhere = other
    }
}

/// Something tried to open an adapter that belongs to another build.
private struct OpenedElsewhere: Error, CustomStringConvertible {
    let name: String

    var description: String { "\(name) belongs to another build, and cannot be opened in this process" }
}

extension AdapterDescription {
    /// "v2 ran in the processes of '/x/mytool' (Swift 6.3.1); this build's own v2 did not run"; nil for an adapter of
    /// the run's own build.
    package var origin: String? {
        process.map { process in
            "\(name) ran in the processes of '\(process.path)' (\(process.toolchain))"
                + (process.replacesOwn ? "; this build's own \(name) did not run" : "")
        }
    }
}
