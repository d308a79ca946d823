import Cofferdam
public import CofferdamContracts  // a trait opens tapes
public import Testing  // a trait is its

/// Puts a tape of its own around each case of a test, or of each test of a suite: recorded, or replayed.
public struct TapeTrait: TestTrait, SuiteTrait, TestScoping {
    let directory: String
    let mode: TapeMode
    let options: TapeOptions

    /// True: a suite's trait applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs the case with a tape of its own, recorded or replayed as the mode says.
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
                // What `#expect` finds is not thrown.
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

/// The arguments of a case have no text, so that its tape cannot be told from another case's.
public struct CaseWithoutName: Error, Sendable, Hashable, CustomStringConvertible {
    let test: String

    /// The test, and why no tape can belong to this case.
    public var description: String { "the arguments of a case of \(test) cannot be told, nor which tape is its own" }
}

extension Trait {
    /// A tape around each case, which finds it in ``CaseScope/value(_:)`` as a `TapeSession`.
    ///
    /// It is recorded where the variable `COFFERDAM_TAPES` says `record`, and otherwise replayed. Each test has a file of its
    /// own, and so has each of its cases; recording, nothing is written for one that failed, be it by an error or by
    /// `#expect`.
    ///
    /// ```swift
    /// @Test(.tape(in: "Tapes"))
    /// func `who comes is greeted`() async throws {
    ///     let store = TapedStore(port: try await CaseScope.value(TapeSession.self).port { try await openVault() })
    ///     #expect(try await store.value(for: "greeting") == "hello")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: of the tapes; beside the test's source file, unless it begins with a slash.
    ///   - mode: by default as the environment says.
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
    /// Its name with those of its module and suites, and without the line on which it stands.
    fileprivate var stableName: String {
        let id = "\(id)"
        return isSuite ? id : id.split(separator: "/").dropLast().joined(separator: "/")
    }
}

extension Test.Case {
    /// What the case is called with; nil for the one case of a test without arguments. The framework keeps it to itself, and
    /// shows it in reflection alone.
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
