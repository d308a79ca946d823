import Cofferdam
public import CofferdamContracts  // traits open tapes
public import Testing  // traits conform to its protocols

/// Gives each case of a test, or of each test of a suite, its own tape, recorded or replayed.
public struct TapeTrait: TestTrait, SuiteTrait, TestScoping {
    let directory: String
    let mode: TapeMode
    let options: TapeOptions

    /// True: a suite's trait applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs the case with its own tape, recorded or replayed as the mode says.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let location = TapeLocation(
            directory: directory,
            test: test.stableName,
            testCase: try testCase.flatMap { try $0.argumentText(of: test) }
        )
        let hasFailed = Mutex(false)
        try await withoutActuallyEscaping(function) { function in
            try await withTape(location, mode, options: options, hasFailed: { hasFailed.withLock { $0 } }) { session in
                // `#expect` records issues instead of throwing.
                let issues = IssueHandlingTrait.compactMapIssues { issue in
                    if issue.isFailure { hasFailed.withLock { $0 = true } }
                    return issue
                }
                try await issues.provideScope(for: test, testCase: testCase) {
                    try await CaseScope.with(session, function)
                }
            }
        }
    }
}

/// The arguments of a case have no text, so its tape cannot be distinguished from another case's.
package struct CaseWithoutName: Error, Sendable, Hashable, CustomStringConvertible {
    let test: String

    /// The test, and why no tape can belong to this case.
    package var description: String {
        "the arguments of a case of \(test) have no text, so its tape cannot be identified"
    }
}

extension Trait {
    /// Gives each case a tape, which it gets from ``CaseScope/value(_:)`` as a `TapeSession`.
    ///
    /// The tape is recorded if the environment variable `COFFERDAM_TAPES` is `record`, and replayed otherwise. Each
    /// test, and each case of a parameterised test, has its own file. No tape is written for a case that fails, whether
    /// by an error or by `#expect`.
    ///
    /// ```swift
    /// @Test(.tape(in: "Tapes"))
    /// func `a visitor is greeted`() async throws {
    ///     let store = TapedStore(port: try await CaseScope.value(TapeSession.self).port { try await openVault() })
    ///     #expect(try await store.value(for: "greeting") == "hello")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: the tapes' folder, relative to the folder of the test's source file unless it begins with a
    ///     slash.
    ///   - mode: whether to record or replay; by default as the environment says.
    ///   - options: redaction, pace, and what is allowed.
    public static func tape(
        in directory: String,
        mode: TapeMode = TapeMode(),
        options: TapeOptions = TapeOptions(),
        beside filePath: String = #filePath
    ) -> Self where Self == TapeTrait {
        let folder = filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return TapeTrait(
            directory: directory.hasPrefix("/") ? directory : "\(folder)/\(directory)",
            mode: mode,
            options: options
        )
    }
}

extension Test {
    /// The test's name with those of its module and suites, without its line number.
    fileprivate var stableName: String {
        let id = "\(id)"
        return isSuite ? id : id.split(separator: "/").dropLast().joined(separator: "/")
    }
}

extension Test.Case {
    /// The case's arguments as text; nil for the only case of a test without arguments. The framework exposes them only
    /// by reflection.
    fileprivate func argumentText(of test: Test) throws(CaseWithoutName) -> String? {
        guard isParameterized else { return nil }
        guard let arguments = Mirror(reflecting: self).descendant("_kind", "parameterized", "arguments") else {
            throw CaseWithoutName(test: test.name)
        }
        var texts: [String] = []
        for argument in Mirror(reflecting: arguments).children {
            guard let value = Mirror(reflecting: argument.value).descendant("value") else {
                throw CaseWithoutName(test: test.name)
            }
            texts.append(String(describingForTest: value))
        }
        return texts.joined(separator: ", ")
    }
}
