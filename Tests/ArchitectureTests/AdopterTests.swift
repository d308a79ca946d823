import Testing

extension NestedBuilds {
    @Test(
        "A package that imports Cofferdam alone compiles swift-log and swift-collections with it, and nothing else"
    )
    func leanAdopter() async throws {
        let adopter = try Adopter()
        let run = try await adopter.run("Lean")
        try #require(run.isSuccess, "\(run.text.suffix(4000))")
        #expect(run.text.contains("fetched kerberos"))

        let collections: Set = ["DequeModule", "InternalCollectionsUtilities", "ContainersPreview"]
        #expect(try adopter.modules(of: "Lean").subtracting(collections) == ["Lean", "Cofferdam", "Logging"])
    }

    @Test(
        "A package that adopts the kit alone builds it, with the README's snippets, and fetches nothing that only the example needs"
    )
    func adopter() async throws {
        let adopter = try Adopter()
        let run = try await adopter.run("Adopter")
        try #require(run.isSuccess, "\(run.text.suffix(4000))")
        #expect(run.text.contains("[1, 3] invalid: not a number at [1]: two"))

        // SwiftPM fetches what a package declares for its other products too, unless a trait guards it: also for a program
        // on Cofferdam alone the transport's small API packages, of which nothing is compiled there.
        let transport: Set = ["swift-http-types", "swift-metrics", "swift-distributed-tracing"]
        #expect(try adopter.fetched().subtracting(transport) == ["swift-log", "swift-collections"])
    }
}
