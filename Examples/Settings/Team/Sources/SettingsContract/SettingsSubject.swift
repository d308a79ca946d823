import CofferdamContracts
import SettingsPorts

/// The subject of a rule: the port, and the documents behind it.
public struct SettingsSubject: Sendable {
    public var port: any Settings
    public var documents: any SampleDocuments
    /// Opens another port on the same documents.
    public var elsewhere: @Sendable () async throws -> any Settings
    /// Replaces all documents by three, of which the second is odd. It is part of the subject, so that a mutant can
    /// imitate an adapter that reads too strictly.
    var seedOdd: @Sendable (PayloadOddity) async throws -> OddSeed<String, Profile>

    public init(
        port: any Settings,
        documents: any SampleDocuments,
        elsewhere: @escaping @Sendable () async throws -> any Settings
    ) {
        self.port = port
        self.documents = documents
        self.elsewhere = elsewhere
        seedOdd = { try await OddDocuments.seed($0, documents) }
    }
}

/// The documents behind a port, as rules set them.
public protocol SampleDocuments: Sendable {
    func removeAll() async
    func put(_ document: SampleDocument, as name: String) async
    /// Makes every access fail with ``StoreFailure``, or restores it.
    func setFailing(_ isFailing: Bool) async
}

/// The error of a failing store.
public struct StoreFailure: Error, Hashable { public init() {} }

/// A handwritten document, and what the port must make of it.
public struct SampleDocument: Sendable {
    public var text: String
    public var outcome: Result<Profile, InvalidDocument>

    init(_ text: String, _ profile: Profile) {
        self.text = text
        outcome = .success(profile)
    }

    init(_ text: String, _ reason: InvalidDocument) {
        self.text = text
        outcome = .failure(reason)
    }
}
