import CofferdamTool
import Foundation

/// The team's tool, with an additional command: `example`, which checks everything that the example promises.
@main enum Main {
    static func main() async {
        guard CommandLine.arguments.dropFirst().first == "example" else { return await Tool.main() }
        let options = Set(CommandLine.arguments.dropFirst(2))
        guard options.isSubset(of: ["--json"]) else { end(64, "usage: downloads-tool example [--json]") }
        do {
            let run = try await ExampleRun.run { say("… \($0)") }
            print(options.contains("--json") ? try run.json() : run.summary)
            if options.contains("--json"), !run.isAsExpected { say(run.summary) }
            exit(run.isAsExpected ? 0 : 1)
        } catch {
            end(70, "the example could not be run: \(error)")
        }
    }

    @Sendable private static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    private static func end(_ status: Int32, _ text: String) -> Never {
        say(text)
        exit(status)
    }
}
