#if Sandbox
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamState
import SanctuaryApp
import SanctuaryDomain

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

    @Option(name: .shortAndLong, help: "The file to write; - for standard output.", completion: .file())
    var output: String

    @OptionGroup var service: ServiceOptions

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output must name a file, or be '-'.") }
        if output == "-", service.json { throw ValidationError("--json and --output - cannot share standard output.") }
    }

    func run() async throws {
        let file = output == "-" ? nil : try ResultFile(output)
        try await service.withFeatures { features, results in
            let photo = try await shown(features.photos.picture(of: AnimalID(id)))
            guard let file else { return try StandardStream.output.write(photo.bytes) }
            try file.write(photo.bytes)
            let saved = SavedPhoto(file: file.path, bytes: photo.bytes.count, mediaType: photo.mediaType)
            try results.show(saved) { _ in
                "\(saved.file): \(saved.bytes) bytes of \(saved.mediaType.escapedForTerminal)\n"
            }
        }
    }

    /// Fetches the picture, and shows the progress on a terminal.
    private func shown(_ picture: DelayedProvider<Photo>) async throws -> Photo {
        let line = ProgressLine()
        let listening = picture.state.listen { state in
            guard let progress = state.progress, progress.completed > 0 else { return }
            line.show("\(progress.completed) of \(progress.total.map(String.init) ?? "?") bytes")
        }
        defer {
            listening.cancel()
            line.clear()
        }
        return try await picture.value()
    }

    private struct SavedPhoto: Encodable {
        let file: String
        let bytes: Int
        let mediaType: String
    }
}
#endif
