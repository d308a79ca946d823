#if Sandbox
import ArgumentParser
import Cofferdam
import CofferdamStore
import SanctuaryApp
import SanctuaryDomain
import SanctuarySDK

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of every command.
struct ServiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The vendor's service. (default: a sandbox inside the command)", valueName: "url"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "The directory for the session. (default: $XDG_STATE_HOME/sanctuary or ~/.local/state/sanctuary)",
            valueName: "dir"
        ),
        completion: .directory
    )
    var state: String?

    @Option(help: ArgumentHelp("The language of names, such as \"de\". (default: the environment's)"))
    var language: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let service {
            // Not repeated, because it may end up in a log.
            if service.split(separator: "/").prefix(2).last?.contains("@") == true {
                throw ValidationError("--service must not contain a user name or a password.")
            }
            let url = URL(string: service)
            guard let url, ["http", "https"].contains(url.scheme ?? ""), url.host()?.isEmpty == false else {
                throw ValidationError("--service must be a URL such as http://127.0.0.1:8080, not '\(service)'.")
            }
        }
        if let language, !language.utf8.allSatisfy({ $0.isLanguageTag }) || language.isEmpty {
            throw ValidationError("--language must be a language tag such as \"de\", not '\(language)'.")
        }
    }

    /// Opens the linked SDK, runs the body, and always closes the SDK.
    ///
    /// - Parameter key: identifies an attempt to change something; nil creates a key for each.
    func withFeatures(key: String? = nil, _ body: (Features, Output) async throws -> Void) async throws {
        let environment = ProcessInfo.processInfo.environment
        do {
            let directory = try StateDirectory(given: state, isSandbox: service == nil, environment: environment)
            let sdk = try await LinkedSDK.open(
                SDKConfiguration(
                    service: service,
                    stateDirectory: directory.path,
                    language: language ?? Self.language(of: environment),
                    issues: Self.warnings,
                    environment: environment
                )
            )
            let features = Features(
                services: sdk.services,
                storage: storage(in: directory, language: language ?? Self.language(of: environment)),
                makeKey: { key ?? Features.newKey() }
            )
            do {
                try await body(features, Output(isJSON: json, environment: environment))
            } catch {
                await features.save()
                await sdk.close()
                throw error
            }
            await features.save()
            await sdk.close()
        } catch {
            throw Failure.wrapping(error)
        }
    }

    /// The storage for lists, for times when the service is unreachable; separate for each service and language. The
    /// sandbox starts fresh each time.
    private func storage(in directory: StateDirectory, language: String) -> ListStorage? {
        guard let service else { return nil }
        let name = String("\(service) \(language)".map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return ListStorage(
            FileCache("\(directory.path)/lists", name: name),
            report: { _ in
                Diagnostics.write("warning: a stored list cannot be read, or this list cannot be stored")
            }
        )
    }

    /// Prints translation issues, one line each.
    private static let warnings = IssueSink { issues, operation in
        for issue in issues {
            let severity = issue.severity == .error ? "error" : issue.severity == .warning ? "warning" : "note"
            Diagnostics.write("\(severity): \(operation): \(issue.what) at \(issue.path): \(issue.raw)")
        }
    }

    private static func language(of environment: [String: String]) -> String {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let language = locale.prefix { $0.isASCII && $0.isLetter }.lowercased()
        return (2...3).contains(language.count) ? language : "en"
    }
}

extension UInt8 {
    fileprivate var isLanguageTag: Bool {
        switch self {
        case 48...57, 65...90, 97...122, 45: true
        default: false
        }
    }
}
#endif
