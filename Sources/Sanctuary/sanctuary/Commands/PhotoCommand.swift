import ArgumentParser
import Cofferdam
import SanctuaryApp
import SanctuaryDomain

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct PhotoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo",
        abstract: "Fetch an animal's picture.",
        discussion: """
            The file is written whole or not at all; one that is there already is replaced.

            EXAMPLES
              sanctuary photo 42 -o lion.bmp
              sanctuary photo 42 -o - | file -
            """
    )

    @Argument(help: "The animal's id.")
    var id: String

    @Option(name: .shortAndLong, help: "Where to; - for standard output.", completion: .file())
    var output: String

    @OptionGroup var service: ServiceOptions

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output must name a file, or be '-'.") }
        if output == "-", service.json { throw ValidationError("--json and --output - cannot share standard output.") }
    }

    func run() async throws {
        if output != "-" { try Self.refuseIrregular(output) }
        try await service.withFeatures { features, results in
            let photo = try await features.photos.photo(of: AnimalID(id))
            guard output != "-" else { return try StandardStream.output.write(photo.bytes) }
            try Self.write(photo.bytes, to: output)
            let saved = SavedPhoto(file: output, bytes: photo.bytes.count, mediaType: photo.mediaType)
            try results.show(saved) { _ in
                "\(saved.file): \(saved.bytes) bytes of \(saved.mediaType.escapedForTerminal)\n"
            }
        }
    }

    private struct SavedPhoto: Encodable {
        let file: String
        let bytes: Int
        let mediaType: String
    }

    /// Asked before anything is fetched. The file is replaced as a whole, which must never happen to a device: /dev/null
    /// would be a picture from then on.
    private static func refuseIrregular(_ path: String) throws {
        var status = stat()
        let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        if kind == S_IFDIR || path.hasSuffix("/") {
            throw Failure(.cannotWrite, "\(path) is a directory")
        }
        if kind != S_IFREG {
            throw Failure(.cannotWrite, "\(path) is no regular file; --output - writes to standard output")
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(.cannotWrite, "cannot write \(path)")
        }
    }
}
