#if CommandLine
import CofferdamSupport
import ArgumentParser
import Cofferdam
import CofferdamContracts

struct TapesCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "tapes",
            abstract: "Record the calls of one adapter, and make them again on another.",
            discussion: """
                For two majors that no build and no process can hold together: the build of one records, and the build of \
                the other compares. The calls are those that the tool's description names: reads, the beginnings of streams, and \
                writes where it says that each adapter has a world of its own.

                EXAMPLES
                  \(Tool.name) tapes record --adapter v1 v1.tape.json
                  \(Tool.name) tapes compare v1.tape.json --adapter v2
                """,
            subcommands: [TapesRecordCommand<Tool>.self, TapesCompareCommand<Tool>.self]
        )
    }
}

struct TapesRecordCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "record",
            abstract: "Make the described calls on an adapter, and record its answers on a tape.",
            discussion: """
                A tape holds the arguments and the answers as they are, except for what the tool's description redacts: \
                read it before you commit it or pass it on.

                EXAMPLES
                  \(Tool.name) tapes record --adapter v1 v1.tape.json
                  \(Tool.name) tapes record --adapter v1 orders.tape.json --call orders.orders

                EXIT CODES
                  0    the tape was written
                  1    every call failed, and nothing was written
                  64   wrong usage
                  70   the calls could not be recorded, and nothing was written
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "The adapter to record.")
    var adapter: String

    @Option(help: "Only this operation, by its name on the tape; repeatable.")
    var call: [String] = []

    @Argument(help: "The tape's file, which is replaced if it exists.")
    var file: String

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
            let tapes = try tooling.tapeRunner(Tool.name)
            let adapter = try TapeRunner.select(adapter, "adapter", from: tapes.adapters)
            let calls = try call.map { try TapeRunner.select($0, "call", from: tapes.calls) }
            let tape = try await tapes.record(adapter, calls.isEmpty ? nil : Set(calls), progress)
            let summary = TapeSummary(tape, of: adapter, in: file)
            guard summary.hasAnswers else {
                return CommandRun<Tool>.Outcome(summary, isGreen: false) { style in
                    style.apply(.red, to: "tapes: no call of \(adapter) was answered, and nothing was written")
                        + "\n"
                }
            }
            try tape.write(to: file)
            return CommandRun<Tool>.Outcome(summary, isGreen: true) { summary.render($0) }
        }
    }
}

struct TapesCompareCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "compare",
            abstract: "Make a tape's calls on another adapter, and show every field that differs.",
            discussion: """
                Elements of lists are compared by their ids, and then in their order. A cursor is replaced by the one \
                that the adapter itself gave for that page. A call that cannot be made, because it writes, say, or is \
                not described any more, is a difference.

                info   a declared difference, with its id
                warn   both return different values
                error  only one of them has the value

                EXAMPLES
                  \(Tool.name) tapes compare v1.tape.json --adapter v2
                  \(Tool.name) tapes compare v1.tape.json --adapter v2 --json

                EXIT CODES
                  0    no difference, or only declared ones
                  1    another difference, or a tape without calls
                  64   wrong usage
                  70   the tape could not be read, or the adapter could not be opened
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "The adapter to make the calls on.")
    var adapter: String

    @Argument(help: "The tape's file.")
    var file: String

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
            let tapes = try tooling.tapeRunner(Tool.name)
            let adapter = try TapeRunner.select(adapter, "adapter", from: tapes.adapters)
            let report = try await tapes.compare(try Tape(contentsOf: file), adapter, progress)
            return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { DriftSummary(report).render($0) }
        }
    }
}

extension Tooling {
    fileprivate func tapeRunner(_ name: String) throws -> TapeRunner {
        guard let tapes else { throw ValidationError("\(name) describes no calls for tapes.") }
        return tapes
    }
}

extension TapeRunner {
    /// The known name that matches, ignoring case.
    fileprivate static func select(_ name: String, _ kind: String, from known: [String]) throws -> String {
        guard let found = known.first(where: { $0.lowercased() == name.lowercased() }) else {
            throw ValidationError("\(UnknownSelection(kind: kind, name: name, known: known.sorted()))")
        }
        return found
    }
}
#endif
