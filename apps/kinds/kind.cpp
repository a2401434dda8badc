#include "trunnion/kinds/kind.hpp"

namespace trunnion {

void kind_registry::add(kind_schema schema, kind_maker make) {
  schema.built = true;
  makers_[schema.name] = std::move(make);
  catalogue_.add(std::move(schema));
}

void kind_registry::add_planned(kind_schema schema) {
  schema.built = false;
  makers_.erase(schema.name);
  catalogue_.add(std::move(schema));
}

outcome<service_parts> kind_registry::make(const kind_context& context) const {
  const auto found = makers_.find(context.spec.kind);
  if (found == makers_.end())
    return fail(error_code::unsupported,
                "the kind '" + context.spec.kind + "' is not built in this version",
                context.entity.text());
  return found->second(context);
}

} // namespace trunnion
