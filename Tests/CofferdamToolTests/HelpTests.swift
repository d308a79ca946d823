#if CommandLine
import ArgumentParser
import Testing

@testable import CofferdamTool

/// ArgumentParser wraps long lines at the terminal's width, so a paragraph must be one line, and a line of an example
/// or a table must fit on 80 columns.
@Suite struct HelpTests {
    private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(commands)
    }

    @Test func `each command's help reads well at 80 columns`() {
        let commands = Self.commands(below: RootCommand<SoundTool>.self)
        #expect(commands.count > 15)
        for command in commands {
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() where line.count > 80 {
                let neighbours = [index - 1, index + 1].filter(lines.indices.contains).map { lines[$0] }
                let isParagraph = neighbours.allSatisfy(\.isEmpty)
                #expect(isParagraph, "\(command): wrapped by hand: \(line)")
                #expect(line.first != " ", "\(command): too wide: \(line)")
            }
        }
    }
}
#endif
