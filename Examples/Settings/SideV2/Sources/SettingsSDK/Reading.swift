import SettingsPorts
internal import Yams

extension ProfileDocument {
    /// Reads a document.
    ///
    /// Yams 6 refuses a Boolean in quotes, which Yams 5 accepted. This adapter then reads the value's text itself.
    ///
    /// - Throws: ``InvalidDocument``.
    init(_ text: String, _ reading: SettingsReading) throws {
        do {
            self = try YAMLDecoder().decode(
                from: text,
                userInfo: CodingUserInfoKey.reading.map { [$0: reading] } ?? [:]
            )
        } catch let error as DecodingError {
            throw InvalidDocument(error)
        }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        title = try values.decode(String.self, forKey: .title)
        theme = try values.decodeIfPresent(String.self, forKey: .theme)
        fontSize = try values.decodeIfPresent(ExactNumber.self, forKey: .fontSize)
        launches = try values.decodeIfPresent(Int.self, forKey: .launches)
        let corrects = CodingUserInfoKey.reading.flatMap { decoder.userInfo[$0] } as? SettingsReading != .vendorDefault
        isBeta =
            try corrects ? values.decodeQuotedBool(forKey: .isBeta) : values.decodeIfPresent(Bool.self, forKey: .isBeta)
        note = try values.decodeIfPresent(String.self, forKey: .note)
        tags = try values.decodeIfPresent([String].self, forKey: .tags)
        shortcuts = try values.decodeIfPresent([String: String].self, forKey: .shortcuts)
    }
}

extension CodingUserInfoKey {
    fileprivate static let reading = CodingUserInfoKey(rawValue: "reading")
}

extension KeyedDecodingContainer {
    fileprivate func decodeQuotedBool(forKey key: Key) throws -> Bool? {
        do {
            return try decodeIfPresent(Bool.self, forKey: key)
        } catch let error as DecodingError {
            guard case .typeMismatch = error, let text = try? decode(String.self, forKey: key),
                let value = try? YAMLDecoder().decode(Bool.self, from: text)
            else { throw error }
            return value
        }
    }
}

extension InvalidDocument {
    init(_ error: YamlError) {
        self =
            switch error {
            case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
                .syntax(line: mark.line)
            case .duplicatedKeysInMapping(let keys, _): .duplicateKey(keys.first ?? "")
            default: .syntax(line: nil)
            }
    }

    init(_ error: DecodingError) {
        self =
            switch error {
            case .keyNotFound(let key, _): .missingKey(key.stringValue)
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                context.codingPath.first.map { .wrongType(key: $0.stringValue) } ?? .notAProfile
            case .dataCorrupted(let context): (context.underlyingError as? YamlError).map(Self.init) ?? .notAProfile
            @unknown default: .notAProfile
            }
    }
}
