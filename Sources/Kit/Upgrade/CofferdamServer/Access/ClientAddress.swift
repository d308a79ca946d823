#if Server
import Foundation
import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The address of a client: 4 bytes of IPv4, or 16 of IPv6. An IPv4 address in an IPv6 one is the IPv4 address.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    let bytes: [UInt8]

    /// - Returns: nil if the text is not an address. It may have a zone, which is dropped.
    init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: &v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            let all = withUnsafeBytes(of: &v6) { Array($0) }
            bytes = all.starts(with: Self.mapped) ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// An address that a proxy gives, which may have a port: `192.0.2.1:80`, `[2001:db8::1]:80`.
    init?(node text: some StringProtocol) {
        if text.first == "[" {
            guard let end = text.lastIndex(of: "]") else { return nil }
            self.init(text[text.index(after: text.startIndex)..<end])
        } else {
            let isWithPort = text.count { $0 == ":" } == 1
            self.init(isWithPort ? text.prefix { $0 != ":" } : text[...])
        }
    }

    var description: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        var text = [CChar](repeating: 0, count: 64)
        inet_ntop(AF_INET6, bytes, &text, 64)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The key under which limits count an address. Each client of IPv6 has a whole /64 to choose from.
    static func bucket(of text: String) -> String {
        guard let address = IPAddress(text) else { return text }
        guard address.bytes.count == 16 else { return address.description }
        return address.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ".") + "/64"
    }
}

/// The proxies whose word about a client's address counts: addresses, and networks as `10.0.0.0/8`.
public struct TrustedProxies: Sendable, Hashable {
    private struct Network: Sendable, Hashable {
        var bytes: [UInt8]
        var bits: Int

        func contains(_ address: IPAddress) -> Bool {
            guard address.bytes.count == bytes.count else { return false }
            return zip(address.bytes, bytes).enumerated().allSatisfy { place, pair in
                let missing = 8 - min(8, max(0, bits - place * 8))
                return (pair.0 ^ pair.1) >> UInt8(missing) == 0 || missing == 8
            }
        }
    }

    private let networks: [Network]

    /// No proxy: a client's address is that of its connection.
    public init() { networks = [] }

    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration` for what is neither an address nor a network.
    public init(_ texts: [String]) throws(ControlPlaneError) {
        var networks: [Network] = []
        for text in texts {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let address = parts.first.flatMap { IPAddress($0) }
            let most = (address?.bytes.count ?? 0) * 8
            let bits = parts.count == 2 ? Int(parts[1]) : most
            guard let address, let bits, (0...most).contains(bits) else {
                throw ControlPlaneError(
                    .invalidConfiguration,
                    "the trusted proxy \"\(text.plain(60))\" is neither an address nor a network like 10.0.0.0/8"
                )
            }
            networks.append(Network(bytes: address.bytes, bits: bits))
        }
        self.networks = networks
    }

    /// Whether that address is one of the proxies.
    func contains(_ address: String) -> Bool { IPAddress(address).map(contains) ?? false }

    private func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The address of the client that sent a request.
    ///
    /// A proxy adds the address of its own peer at the end of `Forwarded` or `X-Forwarded-For`, so the client is
    /// the last one there that is not itself a trusted proxy. A client can send the field that its proxy does not
    /// write: where the two fields name different clients, neither counts.
    ///
    /// - Parameter peer: the address of the connection.
    func client(of peer: String, _ headers: HTTPFields) -> String {
        guard let address = IPAddress(peer), contains(address) else { return peer }
        let chains = [Self.forwarded, Self.forwardedFor].compactMap { $0(headers) }
        let clients = Set(chains.map { last(of: $0, before: address) })
        return (clients.count == 1 ? clients.first ?? address : address).description
    }

    private func last(of chain: [IPAddress?], before peer: IPAddress) -> IPAddress {
        var client = peer
        for node in chain.reversed() {
            // What is unknown or hidden ends the chain.
            guard contains(client), let node else { break }
            client = node
        }
        return client
    }

    /// The nodes of `X-Forwarded-For`, each nil if it is not an address; nil without the field.
    private static func forwardedFor(_ headers: HTTPFields) -> [IPAddress?]? {
        guard let name = HTTPField.Name("X-Forwarded-For"), let text = headers[name] else { return nil }
        return text.split(separator: ",", omittingEmptySubsequences: false).map { IPAddress(node: $0.trimmed) }
    }

    /// The nodes of `Forwarded` (RFC 7239), each nil if it is not an address; nil without the field.
    private static func forwarded(_ headers: HTTPFields) -> [IPAddress?]? {
        guard let name = HTTPField.Name("Forwarded"), let text = headers[name] else { return nil }
        // A client could leave a quote open to hide what its proxy adds.
        guard let elements = text.split(outsideQuotes: ",") else { return [nil] }
        return elements.map { element in
            let node = element.split(outsideQuotes: ";")?.map(\.trimmed)
                .first { $0.lowercased().hasPrefix("for=") }
            return node.flatMap { IPAddress(node: $0.dropFirst(4).filter { $0 != "\"" }) }
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }

    /// - Returns: nil if a quoted string does not end.
    fileprivate func split(outsideQuotes separator: Character) -> [String]? {
        var (parts, isQuoted, isEscaped) = ([""], false, false)
        for character in self {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return isQuoted ? nil : parts
    }
}
#endif
