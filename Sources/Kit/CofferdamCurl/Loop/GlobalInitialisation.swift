import CLibcurl

/// libcurl's own process-wide initialisation, once and never undone: others in the process may use it too.
enum GlobalInitialisation {
    static let result: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
