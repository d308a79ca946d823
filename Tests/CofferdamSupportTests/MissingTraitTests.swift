import Testing

@testable import CofferdamSupport

@Suite("A command without its trait")
struct MissingTraitTests {
    @Test("It fails with 78, and says on standard error what works")
    func fails() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(78),
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            MissingTrait("CommandLine", arguments: ["/x/debug/cofferdam", "wall", "--config", "my wall's.txt"]).end()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(#"cofferdam: built without its trait "CommandLine"; nothing was done"#))
        #expect(text.contains(#"  .package(url: …, from: …, traits: ["CommandLine"])"#))
        #expect(text.contains(#"  swift run cofferdam wall --config 'my wall'\''s.txt'"#))
        #expect(text.contains(#"  swift run --traits CommandLine cofferdam wall --config 'my wall'\''s.txt'"#))
    }

    @Test("An empty argument stays one")
    func empty() {
        #expect(MissingTrait("Server", arguments: ["cofferdam-server", ""]).message.contains("cofferdam-server ''\n"))
    }
}
