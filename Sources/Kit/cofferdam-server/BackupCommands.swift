#if Server
    import ArgumentParser
    import CofferdamServer

    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies the database while the server runs.",
            discussion: """
                The copy is the database at one moment, with everything that was acknowledged before. It is one file: whole, \
                or not there. It holds no token; back up the tokens' file too.

                EXAMPLES
                  cofferdam-server backup --database upgrades.sqlite --to monday.sqlite
                """
        )

        @Option(help: "The server's SQLite file.")
        var database = "upgrades.sqlite"

        @Option(help: "The file to write, which must not exist.")
        var to: String

        func run() throws { try ServerBackup.write(database, to: to) }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts a backup in the place of the database.",
            discussion: """
                Stop the server first. Devices follow the restored stage, even if they have followed a later one. The evidence \
                of the step that it is at begins anew, and a kill switch is as it was: look at each upgrade afterwards.

                EXAMPLES
                  cofferdam-server restore --from monday.sqlite --database upgrades.sqlite \\
                    --replace
                """
        )

        @Option(help: "The backup.")
        var from: String

        @Option(help: "The server's SQLite file.")
        var database = "upgrades.sqlite"

        @Flag(help: "Replace the database that is there.")
        var replace = false

        func run() throws { try ServerBackup.restore(from, to: database, replacing: replace) }
    }
#endif
