import Foundation
import SettingsPorts
import SettingsSDK

/// Shows the profiles of a folder: `settings FOLDER`, or one of them: `settings FOLDER NAME`.
@main enum SettingsApp {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, arguments.count <= 2 else {
            FileHandle.standardError.write(Data("usage: settings FOLDER [NAME]\n".utf8))
            exit(64)
        }
        do {
            let opened = try await openSettings(DocumentFolder(URL(filePath: folder, directoryHint: .isDirectory)))
            let shown: Result<Void, any Error>
            do {
                shown = .success(try await show(arguments.dropFirst().first, of: opened.settings))
            } catch {
                shown = .failure(error)
            }
            await opened.close()
            try shown.get()
        } catch {
            FileHandle.standardError.write(Data("settings: \(error)\n".utf8))
            exit(1)
        }
    }
    private static func show(_ name: String?, of settings: any Settings) async throws {
        if let name {
            let profile = try await settings.profile(named: name)
            print("\(profile.title): \(profile.theme), \(profile.fontSize) pt, \(profile.launches) launches")
            return
        }
        var cursor: String?
        repeat {
            let page = try await settings.names(after: cursor, limit: 20)
            for name in page.names { print(name) }
            cursor = page.next
        } while cursor != nil
    }
}
