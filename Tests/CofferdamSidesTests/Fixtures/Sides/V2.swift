import CofferdamSides
import SettingsPorts
import Vendor

actor V2Settings: Settings {
    private let parser = Parser()

    func value(of key: String) async throws -> SettingsValue {
        guard let entry = await parser.parse("a:one\nb:two").entries[key] else {
            throw SettingsError.unknown(key: key)
        }
        return SettingsValue(key: key, text: entry.text, parsers: parser.parsers)
    }

    nonisolated func values(of keys: [String]) -> AsyncThrowingStream<SettingsValue, any Error> {
        AsyncThrowingStream { continuation in
            Task {
                do {
                    for key in keys { continuation.yield(try await value(of: key)) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }
}

@c(cofferdam_side)
public func side(_ request: Int32, _ place: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    SideEntry.answer(request, place, ports: settingsPortsDigest, as: (any Settings).self) { V2Settings() }
}
