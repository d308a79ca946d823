import CofferdamSides
import SettingsPorts
import SettingsSDK

@c(cofferdam_side)
public func side(_ request: Int32, _ place: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    SideEntry.answer(request, place, ports: settingsPortsDigest, as: OpenSettings.self) { { sideSettings($0, $1) } }
}
