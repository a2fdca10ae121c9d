import Hummingbird
import Node
import Wire

extension LocalRequestContext {
    /// A segment of the path as plain text.
    /// - Throws: `invalidArgument` when its percent-encoding is wrong or not UTF-8.
    func segment(_ name: String) throws(NodeError) -> String {
        guard let raw = parameters.get(name), let text = raw.percentDecoded, !text.isEmpty else {
            throw .invalid(name, "the path has no proper name here")
        }
        return text
    }

    /// The device of the path.
    func device() throws(NodeError) -> DeviceID {
        let text = try segment("device")
        guard let device = DeviceID(text: text) else {
            throw .invalid("device", "the id of a device is expected: 52 characters, as in the list of devices")
        }
        return device
    }
}
