/* Times Pinocchio on a mechanism that lines.py has written.
 *
 *     time_pinocchio FILE STEP COUNT ROUNDS
 *
 * Follows COUNT steps of STEP seconds of RK4 from the start, then prints the CPU nanoseconds of a right-hand
 * side (constraintDynamics) along that motion and of a step, and then the mass centres of all bodies at its
 * end. */
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/proximal.hpp>
#include <pinocchio/multibody.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "stopwatch.h"

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

namespace {

struct Body {
    std::string name;
    double mass;
    Eigen::Vector3d center;
    Eigen::Matrix3d inertia;
};

Eigen::Vector3d vector(std::istream &words)
{
    Eigen::Vector3d result;
    words >> result[0] >> result[1] >> result[2];
    return result;
}

pin::JointModel joint(const std::string &type, std::istream &words)
{
    if (type == "spherical") {
        return pin::JointModelSpherical();
    }
    const Eigen::Vector3d axis = vector(words);
    if (type == "revolute") {
        return pin::JointModelRevoluteUnaligned(axis);
    }
    if (type == "prismatic") {
        return pin::JointModelPrismaticUnaligned(axis);
    }
    if (type == "universal") {
        return pin::JointModelUniversal(axis, vector(words));
    }
    throw std::runtime_error("no joint of type " + type);
}

class Mechanism {
public:
    explicit Mechanism(const std::string &file)
    {
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            read(words);
        }
        data = pin::Data(model);
        for (const auto &loop : loops) {
            notes.emplace_back(loop);
        }
        force = Vector::Zero(model.nv);
        pin::initConstraintDynamics(model, data, loops, notes);
    }

    const Vector &accelerations(const Vector &q, const Vector &v)
    {
        return pin::constraintDynamics(model, data, q, v, force, loops, notes, settings);
    }

    void step(Vector &q, Vector &v, double h)
    {
        const Vector a1 = accelerations(q, v), v1 = v;
        const Vector v2 = v + h / 2 * a1, a2 = accelerations(moved(q, v1, h / 2), v2);
        const Vector v3 = v + h / 2 * a2, a3 = accelerations(moved(q, v2, h / 2), v3);
        const Vector v4 = v + h * a3, a4 = accelerations(moved(q, v3, h), v4);
        q = moved(q, (v1 + 2 * v2 + 2 * v3 + v4) / 6, h);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }

    Vector neutral() const
    {
        return pin::neutral(model);
    }

    pin::Model model;
    pin::Data data;
    std::vector<Body> bodies;
    /* The joints that carry the bodies; a joint's frame sits in its place, parallel to the ground. */
    std::vector<pin::JointIndex> carriers;

private:
    void read(std::istream &words)
    {
        std::string kind;
        words >> kind;
        if (kind == "gravity") {
            model.gravity.linear(vector(words));
        } else if (kind == "body") {
            read_body(words);
        } else if (kind == "joint") {
            read_joint(words);
        } else {
            read_loop(words);
        }
    }

    void read_body(std::istream &words)
    {
        Body body;
        words >> body.name >> body.mass;
        body.center = vector(words);
        Eigen::Matrix3d &tensor = body.inertia;
        words >> tensor(0, 0) >> tensor(0, 1) >> tensor(0, 2) >> tensor(1, 1) >> tensor(1, 2) >> tensor(2, 2);
        tensor = Eigen::Matrix3d(tensor.selfadjointView<Eigen::Upper>());
        bodies.push_back(body);
        carriers.push_back(0);
        places.push_back(Eigen::Vector3d::Zero());
    }

    void read_joint(std::istream &words)
    {
        std::string type;
        int tail, head;
        words >> type >> tail >> head;
        const Eigen::Vector3d place = vector(words);
        const pin::SE3 placement(Eigen::Matrix3d::Identity(), place - origin(tail));
        carriers[head] = model.addJoint(carrier(tail), joint(type, words), placement, bodies[head].name);
        places[head] = place;
        const Body &body = bodies[head];
        model.appendBodyToJoint(carriers[head], pin::Inertia(body.mass, body.center - place, body.inertia));
    }

    void read_loop(std::istream &words)
    {
        int tail, head;
        words >> tail >> head;
        const Eigen::Vector3d place = vector(words);
        const Eigen::Matrix3d same = Eigen::Matrix3d::Identity();
        loops.emplace_back(pin::CONTACT_3D, model, carrier(tail), pin::SE3(same, place - origin(tail)),
                           carrier(head), pin::SE3(same, place - origin(head)), pin::LOCAL);
    }

    pin::JointIndex carrier(int body) const
    {
        return body < 0 ? 0 : carriers[body];
    }

    Eigen::Vector3d origin(int body) const
    {
        return body < 0 ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : places[body];
    }

    std::vector<Eigen::Vector3d> places;

public:
    Eigen::Vector3d center(int body, const pin::Data &at) const
    {
        return at.oMi[carriers[body]].act(Eigen::Vector3d(bodies[body].center - places[body]));
    }

private:
    Vector moved(const Vector &q, const Vector &v, double h) const
    {
        return pin::integrate(model, q, Vector(h * v));
    }

    std::vector<pin::RigidConstraintModel> loops;
    std::vector<pin::RigidConstraintData> notes;
    Vector force;
    /* Redundant rows need a little regularization; a few proximal iterations take its effect away. */
    pin::ProximalSettings settings{1e-12, 1e-10, 10};
};

} // namespace

int main(int words, char **word)
{
    if (words != 5) {
        return 1;
    }
    const double h = std::strtod(word[2], nullptr);
    const int count = std::atoi(word[3]), rounds = std::atoi(word[4]);
    Mechanism mechanism(word[1]);
    std::vector<Vector> positions, velocities;
    Vector q = mechanism.neutral(), v = Vector::Zero(mechanism.model.nv);
    for (int i = 0; i < count; i++) {
        positions.push_back(q);
        velocities.push_back(v);
        mechanism.step(q, v, h);
    }
    mechanism.accelerations(q, v);
    const pin::Data end = mechanism.data;
    std::vector<double> sides, steps;
    for (int round = 0; round < rounds; round++) {
        double begin = now();
        for (int i = 0; i < count; i++) {
            mechanism.accelerations(positions[i], velocities[i]);
        }
        sides.push_back(since(begin) / count);
        Vector x = positions[0], w = velocities[0];
        begin = now();
        for (int i = 0; i < count; i++) {
            mechanism.step(x, w, h);
        }
        steps.push_back(since(begin) / count);
    }
    std::printf("%.1f %.1f\n", quantile(sides.data(), rounds), quantile(steps.data(), rounds));
    for (size_t i = 0; i < mechanism.bodies.size(); i++) {
        const Eigen::Vector3d center = mechanism.center((int)i, end);
        std::printf("%s %.15g %.15g %.15g\n", mechanism.bodies[i].name.c_str(), center[0], center[1], center[2]);
    }
    return 0;
}
