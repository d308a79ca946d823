import SettingsPorts
internal import Yams

extension ProfileDocument {
    /// Reads a document.
    ///
    /// Yams 5 takes the last value of a key that is given twice, and takes `''`, `'~'` and `'null'` for nil. The
    /// document's tree shows what was written.
    ///
    /// - Throws: ``InvalidDocument``.
    init(_ text: String, _ reading: SettingsReading) throws {
        do {
            guard reading == .corrected else {
                self = try YAMLDecoder().decode(from: text)
                return
            }
            guard let mapping = try Yams.compose(yaml: text)?.mapping else {
                throw InvalidDocument.notAProfile
            }
            try mapping.refuseDuplicates()
            self = try YAMLDecoder().decode(from: text)
            theme = mapping.quoted("theme") ?? theme
            note = mapping.quoted("note") ?? note
            for key in ["fontSize", "launches"] where mapping.quoted(key) != nil {
                throw InvalidDocument.wrongType(key: key)
            }
        } catch let error as YamlError {
            throw InvalidDocument(error)
        } catch let error as DecodingError {
            throw InvalidDocument(error)
        }
    }
}

extension Node.Mapping {
    /// Returns the text of a value in quotes or in a block; nil for a plain value.
    fileprivate func quoted(_ key: String) -> String? {
        guard let scalar = self[key]?.scalar, scalar.style != .plain, scalar.style != .any else { return nil }
        return scalar.string
    }

    fileprivate func refuseDuplicates() throws {
        var keys: Set<String> = []
        for (key, value) in self {
            let name = key.string ?? ""
            guard keys.insert(name).inserted else { throw InvalidDocument.duplicateKey(name) }
            try value.mapping?.refuseDuplicates()
        }
    }
}

extension InvalidDocument {
    init(_ error: YamlError) {
        self =
            switch error {
            case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
                .syntax(line: mark.line)
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
