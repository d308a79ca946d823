#if Curl
import CLibcurl

/// Sets options of an easy handle and records whether libcurl accepted all of them.
struct EasyOptions {
    let raw: UnsafeMutableRawPointer
    private(set) var isComplete = true

    init(_ raw: UnsafeMutableRawPointer) { self.raw = raw }

    mutating func set(_ option: CURLoption, _ value: Int) { check(cofferdam_setopt_long(raw, option, value)) }

    /// Sets a string option, which libcurl copies; `nil` resets it.
    mutating func set(_ option: CURLoption, _ value: String?) { check(cofferdam_setopt_string(raw, option, value)) }

    mutating func set(_ option: CURLoption, size: Int) { check(cofferdam_setopt_off(raw, option, curl_off_t(size))) }

    mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        check(cofferdam_setopt_pointer(raw, option, pointer))
    }

    mutating func set(_ option: CURLoption, callback: @escaping cofferdam_data_callback) {
        check(cofferdam_setopt_data_callback(raw, option, callback))
    }

    mutating func check(_ result: CURLcode) { if result != CURLE_OK { isComplete = false } }
}
#endif
