import CofferdamTool

/// What the tool works on: to be composed of the harness's rules, adapters and rehearsal.
func sanctuaryTooling() async throws -> Tooling { throw NothingDescribed() }

/// There is no description of adapters and rules yet.
struct NothingDescribed: Error, CustomStringConvertible {
    var description: String { "no adapters and no rules are described" }
}
