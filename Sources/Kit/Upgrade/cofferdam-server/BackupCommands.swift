#if Server
import ArgumentParser
import CofferdamServer

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies the database while the server runs.",
        discussion: """
            The copy is the database as of one moment, with everything acknowledged before, and its SHA-256. It is one \
            file, complete or absent, which only its owner can read: it has samples of users' values. It holds no \
            token; back up the tokens' file too.

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
        abstract: "Replaces the database with a backup.",
        discussion: """
            Stop the server first. Devices follow the restored stage, even if they have followed a later one. The evidence \
            for the next step begins anew, and a kill switch is as in the backup: check each upgrade afterwards. The file \
            keeps its owner and its mode; if it is a symbolic link, the file behind it is replaced.

            A backup that was changed since it was written is refused. One of an earlier version has no checksum, and \
            needs --without-checksum.

            EXAMPLES
              cofferdam-server restore --from monday.sqlite --database upgrades.sqlite \\
                --replace
            """
    )

    @Option(help: "The backup.")
    var from: String

    @Option(help: "The server's SQLite file.")
    var database = "upgrades.sqlite"

    @Flag(help: "Replace an existing database.")
    var replace = false

    @Flag(help: "Do not check the backup's SHA-256, which backups of earlier versions do not have.")
    var withoutChecksum = false

    func run() throws {
        try ServerBackup.restore(from, to: database, replacing: replace, withoutChecksum: withoutChecksum)
    }
}
#endif
