import Foundation
import KairanClient

struct Note: RecordContent {
    var title: String
    var isDone = false
    var due: Date?
    var tags: Set<String> = []
}
