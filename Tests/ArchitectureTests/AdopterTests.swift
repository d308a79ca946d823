import Testing

@Suite("A package that adopts the kit")
struct AdopterTests {
    @Test("It compiles swift-log and swift-collections with Cofferdam, and fetches nothing that only the example needs")
    func lean() async throws {
        let adopter = try Adopter()
        let run = try await adopter.run("Lean")
        try #require(run.isSuccess, "\(run.text.suffix(4000))")
        #expect(run.text.contains("fetched kerberos"))

        let collections: Set = ["DequeModule", "InternalCollectionsUtilities", "ContainersPreview"]
        #expect(try adopter.modules(of: "Lean").subtracting(collections) == ["Lean", "Cofferdam", "Logging"])
        // SwiftPM fetches what a package declares for its other products too, unless a trait guards it: also for a program
        // on Cofferdam alone the transport's small API packages, of which nothing is compiled there.
        let transport: Set = ["swift-http-types", "swift-metrics", "swift-distributed-tracing"]
        #expect(try adopter.fetched().subtracting(transport) == ["swift-log", "swift-collections"])
    }
}
