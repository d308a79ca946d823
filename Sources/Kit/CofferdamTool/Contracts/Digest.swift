#if CommandLine
    import Crypto

    /// The digest of a contract, which reports and verdicts carry.
    public enum Digest {
        /// SHA-256 of the contract's canonical text, in hexadecimal.
        public static func sha256(of contractText: String) -> String {
            SHA256.hash(data: Array(contractText.utf8)).map { byte in
                let digits = String(byte, radix: 16)
                return digits.utf8.count == 1 ? "0" + digits : digits
            }.joined()
        }
    }
#endif
