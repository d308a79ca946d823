import SettingsPorts

/// The app's fake: keeps profiles in memory, and documents as the values that they stand for.
public actor FakeSettings: Settings, SampleDocuments {
    private var documents: [String: Result<Profile, InvalidDocument>] = [:]
    private var isFailing = false

    public init() {}

    public func profile(named name: String) throws -> Profile {
        switch try reading()[name] {
        case .success(let profile): return profile
        case .failure(let reason): throw SettingsError.invalid(name: name, reason: reason)
        case nil: throw SettingsError.missing(name: name)
        }
    }

    public func save(_ profile: Profile, as name: String) throws {
        _ = try reading()
        if profile.shortcuts["<<"] != nil { throw SettingsError.cannotSave(key: "<<") }
        documents[name] = .success(profile)
    }

    public func remove(_ name: String) throws {
        _ = try reading()
        documents[name] = nil
    }

    public func names(after cursor: String?, limit: Int) throws -> NamePage {
        try NamePage(of: Array(reading().keys), after: cursor, limit: limit)
    }

    private func reading() throws -> [String: Result<Profile, InvalidDocument>] {
        if isFailing { throw StoreFailure() }
        return documents
    }

    public func removeAll() { documents = [:] }
    public func put(_ document: SampleDocument, as name: String) { documents[name] = document.outcome }
    public func setFailing(_ isFailing: Bool) { self.isFailing = isFailing }
}

/// A store in memory, behind an adapter.
public actor MemoryDocuments: DocumentStore, SampleDocuments {
    private var texts: [String: String] = [:]
    private var isFailing = false

    public init() {}

    public func text(of name: String) throws -> String? { try reading()[name] }

    public func put(_ text: String?, as name: String) throws {
        _ = try reading()
        texts[name] = text
    }

    public func names() throws -> [String] { Array(try reading().keys) }

    private func reading() throws -> [String: String] {
        if isFailing { throw StoreFailure() }
        return texts
    }

    public func removeAll() { texts = [:] }
    public func put(_ document: SampleDocument, as name: String) { texts[name] = document.text }
    public func setFailing(_ isFailing: Bool) { self.isFailing = isFailing }
}
