#if Sandbox
import Testing

@Suite("A package that adopts the kit")
struct AdopterTests {
    @Test("By version, on Cofferdam alone, it compiles swift-log and swift-collections, and resolves little more")
    func lean() async throws {
        let adopter = try await Adopter()
        let run = try await adopter.run("Lean")
        try #require(run.isSuccess, "\(run.text.suffix(4000))")
        #expect(run.text.contains("fetched kerberos"))

        let collections: Set = ["DequeModule", "InternalCollectionsUtilities", "ContainersPreview"]
        #expect(try adopter.modules(of: "Lean").subtracting(collections) == ["Lean", "Cofferdam", "Logging"])
        #expect(try adopter.fetched() == ["cofferdam", "swift-log", "swift-collections", "swift-http-types"])
    }
}
#endif
