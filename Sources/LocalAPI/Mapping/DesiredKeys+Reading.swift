import Hummingbird
import KairanInterface
import Node

extension Request {
    /// The fields that are asked for with `desired_keys=a,b`; `nil` when all are.
    ///
    /// Many HTTP libraries encode every comma, so an encoded one separates too; a name with a comma can be asked for by
    /// fetching.
    func desiredKeys() throws(NodeError) -> DesiredKeys? {
        guard let text = try parameter("desired_keys") else { return nil }
        return try DesiredKeys(checking: text.split(separator: ",").map { String($0) })
    }
}

extension RequestObject {
    /// The fields that are asked for; `nil` when all are.
    func desiredKeys() throws(NodeError) -> DesiredKeys? {
        guard self["desired_keys"] != nil else { return nil }
        return try DesiredKeys(checking: texts("desired_keys"))
    }
}

extension DesiredKeys {
    fileprivate init(checking names: [String]) throws(NodeError) {
        guard names.count <= Self.countMax else {
            throw .invalid("desired_keys", "a record has at most \(Self.countMax) fields")
        }
        self.init(names)
    }
}

extension RecordViewPage {
    /// The page with the wanted fields alone.
    func showing(only keys: DesiredKeys?) -> RecordViewPage {
        RecordViewPage(records: records.map { $0.showing(only: keys) }, next: next)
    }
}

extension ChangePage {
    /// The page with the wanted fields alone.
    func showing(only keys: DesiredKeys?) -> ChangePage {
        let shown = changes.map { change in
            var change = change
            change.record = change.record.showing(only: keys)
            return change
        }
        return ChangePage(changes: shown, zones: zones, token: token, more: more)
    }
}
