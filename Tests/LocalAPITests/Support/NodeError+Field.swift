import Node

extension NodeError {
    /// The path of the value that is not allowed, if it names one.
    var field: String? {
        for case .field(let path) in facts { return path }
        return nil
    }
}
