#if Fleet
import CofferdamCurl
import CofferdamUpgrade
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials for a server, from environment variables with a common prefix. An empty variable counts as unset.
struct AccessVariables {
    private let prefix: String
    private let variables: [String: String]

    init(_ prefix: String, of environment: [String: String]) {
        self.prefix = prefix
        variables = environment.filter { !$0.value.isEmpty }
    }

    func name(_ key: String) -> String { "\(prefix)_\(key)" }

    subscript(_ key: String) -> String? { variables[name(key)] }

    /// The variable's value, or the content of the file that the variable with the suffix `_FILE` names, without its
    /// trailing newline.
    ///
    /// - Throws: `UpgradeStoreError`, which names the variable.
    func secret(_ key: String) throws(UpgradeStoreError) -> String? {
        let fileKey = "\(key)_FILE"
        guard let file = self[fileKey] else { return self[key] }
        guard self[key] == nil else { throw failure(fileKey, "\(name(key)) is also set") }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw failure(fileKey, "\(file) cannot be read")
        }
        guard var text = String(bytes: data, encoding: .utf8) else { throw failure(fileKey, "\(file) is not UTF-8") }
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw failure(fileKey, "\(file) is empty") }
        return text
    }

    /// The TLS settings. `CACERT` is a PEM file with the authorities for the server's certificate, which replace the
    /// system's; `CERT` and `KEY` are the PEM files of the client certificate.
    ///
    /// - Throws: `UpgradeStoreError`, which names the variable.
    func tls() throws(UpgradeStoreError) -> CurlTLS {
        var tls = CurlTLS()
        if let file = self["CACERT"] { tls.authorities = .file(file) }
        switch (self["CERT"], self["KEY"]) {
        case (nil, nil): break
        case (let certificate?, let key?): tls.clientCertificate = .init(certificateFile: certificate, keyFile: key)
        case (_?, nil): throw failure("KEY", "there is a certificate, but no key")
        case (nil, _?): throw failure("CERT", "there is a key, but no certificate")
        }
        return tls
    }

    func failure(_ key: String, _ message: String) -> UpgradeStoreError {
        UpgradeStoreError(.unavailable, message, subject: name(key))
    }
}

/// The address of a server.
enum ServerAddress {
    /// Returns the address without surrounding spaces.
    ///
    /// - Parameter subject: the name for the error, which does not repeat the address because it may contain a
    ///   password.
    /// - Throws: ``UpgradeStoreError`` with `unavailable` for an invalid address.
    static func checked(_ text: some StringProtocol, of subject: String) throws(UpgradeStoreError) -> String {
        let address = String(text.trimmingPrefix { $0 == " " }.reversed().trimmingPrefix { $0 == " " }.reversed())
        do { _ = try HTTPRequest(.post, url: address) } catch {
            throw UpgradeStoreError(.unavailable, error.message, subject: subject)
        }
        return address
    }
}
#endif
